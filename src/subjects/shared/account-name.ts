/** What a name of a user or group has to be so that the tools of shadow take it for nothing else. */
export const ACCOUNT_NAME: { readonly expression: string; readonly describes: string } = {
  expression: '[A-Za-z0-9_.][A-Za-z0-9_.-]*\\$?',
  describes: 'the name of an account: letters, digits, ".", "_" and "-", and no "-" at its start',
}
