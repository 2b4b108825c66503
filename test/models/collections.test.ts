/** MongoDB enforces the declared types of documents, whichever process writes them. */
import { expect } from 'chai';
import { mongo } from 'mongoose';
import { createModels } from '../../models/index.ts';
import { failureOf } from '../support/failure-of.ts';
import { openTestModels } from '../support/models.ts';
import { noiseDocuments } from '../support/noise-data.ts';
import { useStarted } from '../support/use-started.ts';

describe('collections', () => {
  const test = useStarted(openTestModels);

  it('reject a value of another type in each declared field', async () => {
    const wrong = /a pattern is stored nowhere/;
    const accepted: string[] = [];
    for (const { collection, schema } of Object.values(test.connection.models)) {
      const name = collection.collectionName;
      const document = noiseDocuments(1)[name];
      await collection.insertOne({ ...document });
      await collection.deleteMany();
      for (const field of Object.keys(schema.paths))
        await collection.insertOne({ ...document, [field]: wrong }).then(
          () => accepted.push(`${name}.${field}`),
          (failure) => expect(failure.message, `${name}.${field}`).to.match(/failed validation|cannot be/),
        );
    }
    expect(accepted).to.deep.equal([]);
  });

  it('get validators when the service starts on an older database, whose documents stay editable', async () => {
    const { connection } = test;
    const subscriptions = connection.collection('subscriptions');
    await connection.db?.command({ collMod: 'subscriptions', validator: {} });
    const { insertedId: _id } = await subscriptions.insertOne({ reference: 'sub_before' });
    for (const _ of ['the first start', 'the next one']) await createModels(connection).ensureCollections();

    const refused = await failureOf(subscriptions.insertOne({ reference: 'sub_after' }));
    expect(refused.message).to.equal('Document failed validation');
    await subscriptions.updateOne({ _id }, { $set: { status: 'cancelled' } });
    expect(await subscriptions.findOne({ _id })).to.include({ status: 'cancelled' });
  });

  it('accept the documents of a backup unchanged', async () => {
    const documents = (async function* () {
      yield Buffer.from(mongo.BSON.serialize({ _id: 'of an earlier release' }));
    })();
    const backup = { name: 'api_keys', metadata: '{}', documents };
    expect(await test.models.loadCollection(backup)).to.equal(1);
  });
});
