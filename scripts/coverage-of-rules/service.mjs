// Units that have to run, or must not.

// One of two that must not run together is the journal of systemd, which runs wherever a service does: so one of them does.
const GROUPS = { 'exactly-one': 'exactly_one_of', 'not-both': 'exactly_one_of' }

export const service = {
  kinds: ['service'],
  translate({ id, params: { unit, want, units, state, op, default_target: target } }) {
    if (target !== undefined) {
      return [{ type: 'command', name: id, properties: { command: 'systemctl get-default', stdout: target } }]
    }
    const group = GROUPS[op]
    if (group !== undefined) {
      const names = units.map((each) => each.replace(/\.service$/, ''))
      return [{ type: 'service', name: id, properties: { [group]: names } }]
    }
    if (state !== undefined && units?.length === 1) {
      return [{ type: 'service', name: id, properties: { one_of: units[0].split('|') } }]
    }
    if (unit === undefined || want === undefined) return undefined
    const name = unit.replace(/\.service$/, '')
    if (want.includes('enabled')) return [{ type: 'service', name, properties: { ensure: 'running', enable: true } }]
    // What does not exist needs no mask.
    return [{ type: 'service', name, properties: { ensure: 'stopped', masked: true } }]
  },
}
