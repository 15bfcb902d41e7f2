/**
 * What a change may cut off: access to this machine, or what it needs to run. Resource types and surfaces refer to
 * these texts.
 */
export const RISKS = {
  ssh: 'logins over SSH depend on it',
  login: 'every login depends on it',
  root: 'it controls access to root',
  network: 'connections depend on it',
  firewall: 'what reaches this machine depends on it',
  mount: 'what lies on mounted file systems depends on it',
  boot: 'the next start of the system depends on it',
  session: 'running sessions depend on it',
} as const
