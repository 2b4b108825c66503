/** Over a form that a link has filled in: that it did, and what the link asks for that there is not. */
import type { ComponentChildren } from 'preact';
import type { KeyList, Server } from '../api.ts';
import { Warning } from '../view.tsx';
import { daysOf, isNamed, type KeyLink } from './key-link.ts';

interface Props {
  link: KeyLink;
  keys: Pick<KeyList, 'grantable_scopes' | 'max_days'>;
  /** Null until they have arrived. */
  servers: readonly Server[] | null;
}

export function LinkNotice({ link, keys: { grantable_scopes, max_days }, servers }: Props) {
  const scopes = link.scopes.filter((name) => !grantable_scopes.some(({ scope }) => scope === name));
  const missing = link.servers.filter((id) => servers && !servers.some((server) => isNamed(server, id)));
  const isExpiryWrong = link.expiry !== null && daysOf(link, max_days) === null;
  return (
    <>
      <Warning>
        A link has filled in this form. Create the key only if you know who gave you the link, and agree with
        what the key may do.
      </Warning>
      {scopes.length > 0 && (
        <LeftOut names={scopes}>The link also asks for scopes that are not offered to you:</LeftOut>
      )}
      {missing.length > 0 && (
        <LeftOut names={missing}>The link also asks for servers that you do not have:</LeftOut>
      )}
      {isExpiryWrong && (
        <LeftOut names={[link.expiry ?? '']}>
          The link asks for an expiry that there is not
          {max_days === null ? '' : `, as keys end within ${max_days} days here`}:
        </LeftOut>
      )}
    </>
  );
}

const LeftOut = ({ names, children }: { names: readonly string[]; children: ComponentChildren }) => (
  <div>
    <p class="note">{children}</p>
    <ul class="tags">
      {names.map((name) => (
        <li key={name} dir="auto">
          <code>{name}</code>
        </li>
      ))}
    </ul>
  </div>
);
