/** Shows users' texts: names within our sentences, and links within messages. */
import { Fragment } from 'preact';

/** A sentence with names. Each is isolated from the direction of the text around it, as it may be in any script. */
export const withNames = ({ raw }: TemplateStringsArray, ...names: string[]) =>
  raw.map((text, index) => (
    <Fragment key={index}>
      {text}
      {index < names.length && <bdi>{names[index]}</bdi>}
    </Fragment>
  ));

/** Matches a link without the punctuation after it. Nothing else in the text is markup. */
const address = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}])/;

/** Splits a text so that every second piece is an address, and shows those as links. */
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
