/** Text that others wrote, with its addresses as links. */

/** Of a link, without what follows it in a sentence. Nothing else in it is markup. */
const address = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}])/;

/** A text in pieces, of which every second one is an address. */
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
