/** User and group names that the shadow-utils commands cannot mistake for options or ids. */
export const ACCOUNT_NAME: { readonly expression: string; readonly describes: string } = {
  expression: '[A-Za-z0-9_.][A-Za-z0-9_.-]*\\$?',
  describes: 'an account name of letters, digits, ".", "_" and "-" that does not start with "-"',
}
