/** A real SMTP server for tests, which keeps the mails and answers as configured. */
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { eventually } from './eventually.ts';
import { listenLocally } from './local-server.ts';
import { type ReadMail, readMail } from './mail-text.ts';
import { runWatch } from './run-watch.ts';
import { selfSigned } from './self-signed.ts';

interface ReceivedMail extends ReadMail {
  greeting: string;
  from: string;
  to: string;
  raw: string;
  isEncrypted: boolean;
  /** The user who has signed in, or null. */
  user: string | null;
}

interface SmtpOptions {
  /** The only user; without one, no sign-in is needed. */
  user?: string;
  password?: string;
  hasStartTls?: boolean;
  /** Whether TLS begins with the connection. */
  isTls?: boolean;
}

export type SmtpReceiver = Awaited<ReturnType<typeof startSmtp>>;

/** A refusal, such as 550. */
const refusal = (responseCode: number, address = '') =>
  Object.assign(new Error(`${responseCode === 421 ? '4.3.2' : '5.1.1'} refused by the test ${address}`), {
    responseCode,
  });

export async function startSmtp({ user, password, hasStartTls = true, isTls = false }: SmtpOptions = {}) {
  const received: ReceivedMail[] = [];
  const connections = { now: 0, most: 0, all: 0, silent: 0 };
  const codes = new Map<string, (number | 'silence')[]>();
  const codesOfData: number[] = [];
  let isHanging = false;
  let isDying = false;
  const scan = runWatch.scanner('a mail');
  const keep = (raw: string, session: SMTPServerSession) => {
    const mail = readMail(raw);
    scan(`${raw}\n${mail.subject}\n${mail.text}\n${mail.html}\n`);
    const [recipient] = session.envelope.rcptTo;
    const { mailFrom } = session.envelope;
    received.push({
      ...mail,
      ...{ raw, from: mailFrom ? mailFrom.address : '', to: recipient?.address ?? '' },
      ...{ isEncrypted: session.secure, user: session.user ?? null, greeting: session.hostNameAppearsAs },
    });
  };
  const server = new SMTPServer({
    ...selfSigned,
    secure: isTls,
    authOptional: user === undefined,
    authMethods: ['PLAIN', 'LOGIN'],
    disabledCommands: [...(hasStartTls ? [] : ['STARTTLS']), ...(user === undefined ? ['AUTH'] : [])],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    onConnect(_session, callback) {
      connections.all += 1;
      connections.now += 1;
      connections.most = Math.max(connections.most, connections.now);
      if (!isHanging) callback();
    },
    onClose(_session, callback) {
      connections.now -= 1;
      callback();
    },
    onAuth(given, _session, callback) {
      if (given.username === user && given.password === password) callback(null, { user });
      else callback(null, { message: 'wrong user or password' });
    },
    onRcptTo({ address }, _session, callback) {
      const code = codes.get(address)?.shift();
      if (code === 'silence') connections.silent += 1;
      else callback(code === undefined ? null : refusal(code));
    },
    onData(stream, session, callback) {
      void text(stream).then((raw) => {
        const code = codesOfData.shift();
        // Like spam filters, it names the address in the mail that it refuses.
        const [address = ''] = /\S+\/account\/\S+/.exec(readMail(raw).text) ?? [];
        if (code !== undefined) return callback(refusal(code, address));
        keep(raw, session);
        if (isDying) for (const connection of server.connections) connection._socket.destroy();
        else callback(null);
      });
    },
  });
  server.on('error', () => {}); // from connections that the tests break
  const { port, stop } = await listenLocally(server.server);
  const credentials = user === undefined ? '' : `${user}:${encodeURIComponent(password ?? '')}@`;
  return {
    port,
    url: `${isTls ? 'smtps' : 'smtp'}://${credentials}127.0.0.1:${port}`,
    received,
    connections,
    /** Answers the next commands for this recipient with these codes or not at all, and then takes its mail. */
    refuse: (recipient: string, ...next: (number | 'silence')[]) => void codes.set(recipient, next),
    /** Answers the next mails with these codes when they have arrived. */
    refuseData: (...next: number[]) => codesOfData.splice(0, codesOfData.length, ...next),
    /** Greets no connection from now on. */
    hang() {
      isHanging = true;
    },
    /** Breaks the connection when a mail has arrived, before it is acknowledged. */
    dieAfterData(dies: boolean) {
      isDying = dies;
    },
    /** Resolves to the first `count` mails for this recipient. */
    async waitFor(recipient: string, count: number, withinMs?: number): Promise<ReceivedMail[]> {
      const ofRecipient = () => received.filter(({ to }) => to === recipient);
      await eventually(async () => {
        const found = ofRecipient().length;
        if (found < count) throw new Error(`${found} of ${count} mails for ${recipient} arrived`);
      }, withinMs);
      return ofRecipient();
    },
    async stop() {
      for (const connection of server.connections) connection._socket.destroy();
      await stop();
    },
  };
}
