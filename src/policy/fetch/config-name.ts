/** The file with driftgate options beside policies; it is never read as a policy. */
export const CONFIG_NAME = 'driftgate.config.yaml'
