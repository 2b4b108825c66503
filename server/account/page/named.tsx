/** Sentences with names that users gave. */
import { Fragment } from 'preact';

/** A name is kept apart from the direction of the text around it: it may be in any script. */
export const named = ({ raw }: TemplateStringsArray, ...names: string[]) =>
  raw.map((text, index) => (
    <Fragment key={index}>
      {text}
      {index < names.length && <bdi>{names[index]}</bdi>}
    </Fragment>
  ));
