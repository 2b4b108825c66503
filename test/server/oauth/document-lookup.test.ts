/** Where the host of an app's metadata document is, as the name servers of the app's author say it. */
import { expect } from 'chai';
import { startNameServer } from '../../support/name-server.ts';
import { ask, authorizeUrl } from '../../support/oauth-app.ts';
import { useService } from '../../support/service.ts';

describe("the host of an app's metadata document", () => {
  const service = useService({ hasApps: true });
  let nameServer: Awaited<ReturnType<typeof startNameServer>>;
  /** Null: the name server never answers. */
  let address: string | null;

  before(async () => {
    nameServer = await startNameServer(() => address);
  });
  after(async () => {
    nameServer.stop();
  });

  const authorize = (host: string) =>
    ask(authorizeUrl(service, { clientId: `https://${host}/client` }, 'verifier'));

  it('400: is not connected to where its name leads to a private address', async () => {
    for (const each of ['127.0.0.1', '10.1.2.3', '169.254.169.254']) {
      address = each;
      const { status, text } = await authorize(`inside.${each}.example`);
      expect([status, text.includes('invalid_client')]).to.deep.equal([400, true]);
      expect(nameServer.asked).to.include(`inside.${each}.example`);
    }
  });

  it('400: is given up where its name servers never answer, and holds no thread that others wait for', async () => {
    address = null;
    const hosts = ['a', 'b', 'c', 'd'].map((each) => `silent-${each}.example`);
    const answers = await Promise.all(hosts.map(authorize));
    expect(answers.map(({ status }) => status)).to.deep.equal([400, 400, 400, 400]);
    // The system's own lookup, which waits in a thread, asks other servers than these.
    expect(nameServer.asked).to.include.members(hosts);
  });
});
