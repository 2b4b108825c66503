/** A resource that is made once per run, and whose first attempt fails. */
import { access, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { failureOf } from '../failure-of.ts';
import { onceARun } from '../run-folder.ts';

it('makes it again after a try that failed, and once only', async () => {
  let tries = 0;
  const make = () =>
    onceARun('thing', async (folder) => {
      tries += 1;
      await writeFile(`${folder}try-${tries}`, '');
      if (tries === 1) throw new Error('the first try');
    });
  await failureOf(make());
  const [folder, again] = await Promise.all([make(), make()]);
  expect(again).to.equal(folder);
  expect(tries).to.equal(2);
  await access(`${folder}try-2`);
  await failureOf(access(`${folder}try-1`));
});
