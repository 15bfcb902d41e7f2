// Mount points: file systems of their own, and options of those that are mounted.

export const mount = {
  kinds: ['mount'],
  translate({ params: { mountpoint, option, separate, mount_must_exist: exists } }) {
    // The size that a profile recommends is for who makes the partition; the rule itself does not look at it.
    if (separate === true) return [{ type: 'mount', name: mountpoint, properties: { ensure: 'mounted' } }]
    if (option === undefined) return undefined
    const properties = { options: { includes: [option] } }
    return [
      { type: 'mount', name: mountpoint, properties, ...(exists ? { otherwise: { if_absent: 'compliant' } } : {}) },
    ]
  },
}
