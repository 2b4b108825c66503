/** Which view the page shows, and what the address it was opened with begins. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { type Api, describeFailure, type Settings, type User } from './api.ts';
import type { Arrival } from './arrival.ts';

type View =
  | { is: 'loading' }
  | { is: 'failed'; message: string }
  | {
      is: 'signed-out';
      notice: string | null;
      linkToken: string | null;
      /** Who is signed in although the page was opened with a link, or with an answer of the identity provider. */
      user: User | null;
    }
  | { is: 'signed-in'; user: User };

const unknownSettings: Settings = {
  password_length_min: 0,
  password_sign_in: true,
  sign_in_help: null,
  single_sign_on: null,
  connected_apps: false,
  webhooks: false,
};

export function useView(api: Api, arrival: Arrival) {
  const [view, setView] = useState<View>({ is: 'loading' });
  const [settings, setSettings] = useState<Settings>(unknownSettings);
  const signOut = useCallback(
    (notice: string | null) => setView({ is: 'signed-out', notice, linkToken: null, user: null }),
    [],
  );
  const load = useCallback(async () => {
    setView({ is: 'loading' });
    try {
      const { user, settings } = await api.session.current.query();
      setSettings(settings);
      if (arrival.is === 'callback') await finish(arrival.query, user);
      else if (arrival.is === 'link')
        setView({ is: 'signed-out', notice: null, linkToken: arrival.token, user });
      else if (user) setView({ is: 'signed-in', user });
      else signOut(null);
    } catch (failure) {
      setView({ is: 'failed', message: describeFailure(failure).message });
    }
  }, [api, arrival, signOut]);
  const finish = async (query: string, before: User | null) => {
    try {
      const { user } = await api.session.finishSingleSignOn.mutate({ query });
      setView({ is: 'signed-in', user });
    } catch (failure) {
      setView({ is: 'signed-out', notice: describeFailure(failure).message, linkToken: null, user: before });
    }
  };
  useEffect(() => void load(), [load]);
  return { view, setView, signOut, settings, load };
}
