/** Texts of users within ours. */
import { Fragment } from 'preact';

/** A sentence with names, each kept apart from the direction of the text around it, as it may be in any script. */
export const withNames = ({ raw }: TemplateStringsArray, ...names: string[]) =>
  raw.map((text, index) => (
    <Fragment key={index}>
      {text}
      {index < names.length && <bdi>{names[index]}</bdi>}
    </Fragment>
  ));

/** Of a link, without what follows it in a sentence. Nothing else in it is markup. */
const address = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}])/;

/** A text in pieces, of which every second one is an address, and shown as a link. */
export const linked = (text: string) =>
  text.split(address).map((piece, index) =>
    index % 2 === 1 && URL.canParse(piece) ? (
      <a key={index} href={piece} target="_blank" rel="noreferrer nofollow">
        {piece}
      </a>
    ) : (
      piece
    ),
  );
