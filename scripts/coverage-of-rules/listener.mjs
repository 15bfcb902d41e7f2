// What listens, and network interfaces.
export const listener = {
  kinds: ['listener', 'network'],
  translate({ id, params }) {
    return BY_ID[id]?.(params)
  },
}

const BY_ID = {
  // A server that does not listen at all takes nothing from others either.
  has_nonlocal_mta: ({ ports }) =>
    ports.map((port) => ({
      type: 'port',
      name: `tcp:${port}`,
      properties: { addresses: 'loopback', if_absent: 'compliant' },
    })),
  postfix_network_listening_disabled: ({ key, value }) => [
    { type: 'setting', name: `postfix:${key}`, properties: { value } },
  ],
  wireless_disable_interfaces: () => [
    { type: 'interface', name: '*', properties: { where_kind: 'wireless', up: false, driver_available: false } },
  ],
}
