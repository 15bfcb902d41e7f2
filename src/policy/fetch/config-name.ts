/** The file beside policies that holds options for driftgate. It is never a policy itself. */
export const CONFIG_NAME = 'driftgate.config.yaml'
