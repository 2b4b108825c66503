/** A certificate that no program trusts, and its key, for a server on 127.0.0.1. */

/** Self-signed for 127.0.0.1, valid for a hundred years. */
const certificate = [
  'MIIBlzCCATygAwIBAgIUbuG2qoORwldFwe94ZioxHvG2DwgwCgYIKoZIzj0EAwIwFzEVMBMGA1UEAwwMbm9kZS5l',
  'eGFtcGxlMCAXDTI2MTEyNDIyMTA1NVoYDzIxMjYxMDMxMjIxMDU1WjAXMRUwEwYDVQQDDAxub2RlLmV4YW1wbGUw',
  'WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAASYR7yOWAlB8xwV2fl/3eQD6oKYJtPlWcirr9MjLVcaxfSTXeZ5RHhr',
  'q365yN/hvSXmN4X+AmMOFoeuNeMXBOUqo2QwYjAdBgNVHQ4EFgQUyocWSZWleBDOCmXGkALF3BbUaDowHwYDVR0j',
  'BBgwFoAUyocWSZWleBDOCmXGkALF3BbUaDowDwYDVR0TAQH/BAUwAwEB/zAPBgNVHREECDAGhwR/AAABMAoGCCqG',
  'SM49BAMCA0kAMEYCIQCULLcRjIsjuRSdttR2jmRHRjZuuGdtFabE/BHb4yclOAIhANpZEDpJxpiO3gGn/diVW96n',
  'hYhfWv/Y/LXV8S8RUUKL',
].join('');
const key = [
  'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnkr8mPBUxzRaLrUbShj5+OHpOvSs/MnngLqiwgyi',
  'dF6hRANCAASYR7yOWAlB8xwV2fl/3eQD6oKYJtPlWcirr9MjLVcaxfSTXeZ5RHhrq365yN/hvSXmN4X+AmMOFoeu',
  'NeMXBOUq',
].join('');
const pem = (what: string, base64: string) =>
  ['-----BEGIN', ` ${what}-----\n${base64.replace(/(.{64})/g, '$1\n')}\n-----END`, ` ${what}-----\n`].join(
    '',
  );

export const selfSigned = { key: pem('PRIVATE KEY', key), cert: pem('CERTIFICATE', certificate) };
