/** The bounds of the account page's fields follow from the schemas of its requests. */
import { expect } from 'chai';
import { readFormBounds } from '../../../server/account/form-bounds.ts';

describe("the bounds of the account page's fields", () => {
  const bounds = readFormBounds();

  it('match the schema of the request', () => {
    expect(bounds['tickets.create']?.['title']).to.include({ maxLength: 200 });
    expect(bounds['admin.putGame']?.['slug']).to.deep.equal({
      ...{ isRequired: true, maxLength: 100, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' },
    });
  });

  it('apply to each item of a list in the request', () => {
    const field = bounds['servers.schedules.create']?.['tasks.delay_seconds'];
    expect(field).to.deep.equal({ isInteger: true, min: 0, max: 900 });
    expect(bounds['admin.putGame.plans']?.['price']).to.include({ isRequired: true, maxLength: 100 });
  });

  it('allow for a full list when it is typed as one text', () => {
    expect(bounds['admin.putGame.plans']?.['features']).to.deep.equal({ maxLength: 100 * 200 + 99 });
  });
});
