/** A text field for a file: it numbers the lines and finds text, and stays quick with long texts. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { Field, type InputProps } from '../field.tsx';
import { FileMark, FileSearch, useFinder } from './file-search.tsx';

interface Props {
  preset: string;
  onText(text: string): void;
}

type TextEvent = { currentTarget: HTMLTextAreaElement };

export const FileTextField = ({ label, ...props }: Props & { label: string }) => (
  <Field name="content" label={label} hint={hint}>
    {(inputProps) => <NumberedText {...{ inputProps, ...props }} />}
  </Field>
);

function NumberedText({ inputProps, preset, onText }: Props & { inputProps: InputProps }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLPreElement>(null);
  const [lineCount, setLineCount] = useState(() => linesIn(preset));
  const finder = useFinder(area);
  const update = ({ currentTarget: { value } }: TextEvent) => {
    setLineCount(linesIn(value));
    finder.forget();
    onText(value);
  };
  const follow = ({ currentTarget: { scrollTop } }: TextEvent) => {
    if (gutter.current) gutter.current.scrollTop = scrollTop;
    finder.follow();
  };
  return (
    <>
      <FileSearch finder={finder} />
      <div class="file-text">
        <pre ref={gutter} aria-hidden="true" style={{ width: widthFor(lineCount) }}>
          {useMemo(() => numbersTo(lineCount), [lineCount])}
        </pre>
        <div>
          <textarea
            ref={area}
            {...{ ...inputProps, ...textProps }}
            defaultValue={preset}
            onInput={update}
            onChange={update}
            onScroll={follow}
            onKeyDown={(event) => actOnKey(event, finder.open)}
          />
          <FileMark finder={finder} />
        </div>
      </div>
    </>
  );
}

const hint = 'Ctrl+S saves, Ctrl+F finds. Servers read most settings when they start.';

const textProps = {
  translate: false,
  wrap: 'off',
  spellcheck: false,
  autocapitalize: 'none',
  rows: 20,
} as const;

const linesIn = (text: string) => text.split('\n').length;

/** One text, because an element for each line would take seconds in a long file. */
const numbersTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join('\n');

const widthFor = (lineCount: number) => `calc(${String(lineCount).length}ch + 1.125rem)`;

function actOnKey(event: KeyboardEvent & TextEvent, onFind: () => void): void {
  if (!['s', 'f'].includes(event.key) || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  if (event.key === 'f') onFind();
  else event.currentTarget.form?.requestSubmit();
}
