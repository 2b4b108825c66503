/** Why Discord refused a message, by its number: the words are ours, as those of a receiver are shown to nobody. */

const reasons: Record<number, string> = {
  10003: 'the channel does not exist any more',
  10015: 'the webhook does not exist any more',
  50027: 'the token in the address is wrong',
  50083: 'the thread is archived',
  160005: 'the thread is locked',
  220001: 'the channel is a forum, which needs a thread: add ?thread_id=ID to the address',
  220004: 'a forum channel takes no messages of this webhook',
};

export const discordReasonOf = (code: number): string => reasons[code] ?? `Discord's error ${code}`;
