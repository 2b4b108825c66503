/** The page of an app's request: the question to the user, then the outcome. */
import { useState } from 'preact/hooks';
import { type AccessRequest, type Api, codeOf, type User } from '../api.ts';
import { forgetRequest } from '../arrival.ts';
import { useFocusAfterChange } from '../focus.ts';
import { Icon, type IconName } from '../icon.tsx';
import { useQuery } from '../use-query.ts';
import { ResourceView } from '../view.tsx';
import { CardSkeleton, ConnectFrame } from './connect-frame.tsx';
import { Consent } from './consent.tsx';

type Outcome = 'allowed' | 'denied' | 'ended';
type Progress = { request: AccessRequest } | { outcome: Outcome };

export function Connect({ id, user, onSignedOut }: { id: string; user: User; onSignedOut(): void }) {
  const query = useQuery((api) => findProgress(api, id), { of: id });
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const progress = outcome ? { outcome } : query.content;
  const showOutcome = (outcome: Outcome) => {
    forgetRequest(id);
    setOutcome(outcome);
  };
  useFocusAfterChange(progress && ('outcome' in progress ? progress.outcome : progress));
  return (
    <ConnectFrame>
      <ResourceView of={{ ...query, content: progress }} placeholder={<CardSkeleton />}>
        {(progress) =>
          'request' in progress ? (
            <Consent {...{ id, user, onSignedOut, request: progress.request, onOutcome: showOutcome }} />
          ) : (
            <OutcomeCard outcome={progress.outcome} />
          )
        }
      </ResourceView>
    </ConnectFrame>
  );
}

async function findProgress(api: Api, id: string): Promise<Progress> {
  try {
    return { request: await api.apps.request.query({ request_id: id }) };
  } catch (failure) {
    if (!['not_found', 'bad_request'].includes(codeOf(failure) ?? '')) throw failure;
    forgetRequest(id);
    return { outcome: 'ended' };
  }
}

const words: Record<Outcome, { icon: IconName; title: string; text: string }> = {
  allowed: {
    icon: 'check',
    title: 'Access allowed',
    text: 'Go back to the app: it is signed in. You can close this page.',
  },
  denied: {
    icon: 'close',
    title: 'Access denied',
    text: 'The app got no access to your account. You can close this page.',
  },
  ended: {
    icon: 'warning',
    title: 'This request is closed',
    text: 'It was already answered, or its ten minutes have passed. To try again, start over in the app.',
  },
};

function OutcomeCard({ outcome }: { outcome: Outcome }) {
  const { icon, title, text } = words[outcome];
  return (
    <section class="card consent is-settled">
      <span class="blank-mark">
        <Icon name={icon} />
      </span>
      <h1 tabIndex={-1}>{title}</h1>
      <p class="lede">{text}</p>
      <p>
        <a href="/account#apps">Your connected apps</a>
      </p>
    </section>
  );
}
