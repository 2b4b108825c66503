/** Gives users of earlier versions the fields of provisioning: active, without an external id. */
import type { Connection } from 'mongoose';

export async function addProvisioning(connection: Connection): Promise<void> {
  const fields = { isActive: true, externalId: null, sessionsEndedAt: null, updatedAt: '$createdAt' };
  await connection.collection('users').updateMany({ isActive: null }, [{ $set: fields }]);
}
