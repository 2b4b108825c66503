/** An announcement as customers see it: plain text, with addresses as links. */
import { linked } from '../text.tsx';

type Props = { announcement: { summary: string; message: string | null } };

export const AnnouncementText = ({ announcement: { summary, message } }: Props) => (
  <>
    {summary && (
      <p class="announcement-summary" dir="auto">
        {linked(summary)}
      </p>
    )}
    {message && (
      <p class="message-text" dir="auto">
        {linked(message)}
      </p>
    )}
  </>
);
