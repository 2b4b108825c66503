/** CI's check of npm's advisories. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const script = fileURLToPath(new URL('../../.ci/audit.mjs', import.meta.url));

const audit = (report: object) => {
  const { status, stdout } = spawnSync(process.execPath, [script], { input: JSON.stringify(report) });
  return { status, output: stdout.toString() };
};

const advisory = (severity: string) => ({
  vulnerabilities: {
    inner: {
      via: [
        {
          name: 'inner',
          severity,
          title: 'It hangs',
          url: 'https://github.com/advisories/GHSA-none-none-none',
        },
      ],
    },
    outer: { via: ['inner'] },
  },
});

describe('the dependency audit', () => {
  it('fails on a high or critical advisory that SECURITY.md does not explain, and names it', () => {
    for (const severity of ['high', 'critical']) {
      const { status, output } = audit(advisory(severity));
      expect(output).to.include(
        `inner: ${severity}, It hangs, https://github.com/advisories/GHSA-none-none-none\n`,
      );
      expect(status).to.equal(1);
    }
  });

  it('passes without advisories', () => {
    for (const report of [advisory('moderate'), { vulnerabilities: {} }])
      expect(audit(report)).to.deep.equal({
        status: 0,
        output: 'npm audit: 0 high or critical advisories that SECURITY.md does not explain\n',
      });
  });

  it('reports a registry that offers no advisories, and passes', () => {
    const { status, output } = audit({ message: '405 Method Not Allowed', statusCode: 405 });
    expect(output).to.equal('npm audit: not offered by this registry (405 Method Not Allowed)\n');
    expect(status).to.equal(0);
  });
});
