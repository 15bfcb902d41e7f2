const RANDOM = 'its result is different at every run'
const CLOCK = 'its result depends on the clock'
const ENVIRONMENT = 'its result depends on the environment of the process'
const NETWORK = 'its result depends on the network'
const KEYS = 'keys, certificates and salted digests are different at every run'
const SECRETS = 'secrets do not belong into rendered files'

/**
 * Unsupported functions of sprig, with the reason: rendered output must be the same in every run, or it could never be compliant.
 */
export const UNSUPPORTED_SPRIG: ReadonlyMap<string, string> = new Map([
  ['now', CLOCK],
  ['ago', CLOCK],
  ['randAlphaNum', RANDOM],
  ['randAlpha', RANDOM],
  ['randAscii', RANDOM],
  ['randNumeric', RANDOM],
  ['randBytes', RANDOM],
  ['randInt', RANDOM],
  ['shuffle', RANDOM],
  ['uuidv4', RANDOM],
  ['env', ENVIRONMENT],
  ['expandenv', ENVIRONMENT],
  ['getHostByName', NETWORK],
  ['bcrypt', KEYS],
  ['htpasswd', KEYS],
  ['genPrivateKey', KEYS],
  ['buildCustomCert', KEYS],
  ['genCA', KEYS],
  ['genCAWithKey', KEYS],
  ['genSelfSignedCert', KEYS],
  ['genSelfSignedCertWithKey', KEYS],
  ['genSignedCert', KEYS],
  ['genSignedCertWithKey', KEYS],
  ['encryptAES', KEYS],
  ['decryptAES', SECRETS],
  ['derivePassword', SECRETS],
])
