/** The problems with settings that stop the start, a line each. */
import { expect } from 'chai';
import { ConfigError, readConfig } from '../../server/config.ts';

export const problemsOf = (environment: NodeJS.ProcessEnv): string[] => {
  try {
    readConfig(environment);
  } catch (failure) {
    if (!(failure instanceof ConfigError)) throw failure;
    const [title, ...problems] = failure.message.split('\n');
    expect(title).to.equal('The configuration is not valid:');
    return problems.map((problem) => problem.trim());
  }
  return [];
};
