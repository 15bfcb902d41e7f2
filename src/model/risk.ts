/**
 * What a change may cut off: access to this machine, or what it needs to run. Resource types and surfaces refer to
 * these texts.
 */
export const RISKS = {
  ssh: 'logins over SSH depend on it',
  login: 'every login depends on it',
  root: 'it controls access to root',
  network: 'connections depend on it',
  firewall: 'network access to this host depends on it',
  mount: 'access to mounted file systems depends on it',
  boot: 'the next boot depends on it',
  session: 'running sessions depend on it',
} as const
