import type { LayeredRule } from './layered.ts'

const DIRECTORY = '/etc/apparmor.d'

/** Where AppArmor is in the kernel that is asked; a container sees nothing of it. */
export const APPARMOR_OF_KERNEL = `cat > /etc/systemd/system/apparmor-of-kernel.service <<'END'
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'mount -o remount,rw /sys && mkdir -p /sys/module/apparmor/parameters && echo Y > /sys/module/apparmor/parameters/enabled'
[Install]
WantedBy=multi-user.target
END
systemctl enable -q --now apparmor-of-kernel`

/** Profiles that enforce, a file for each, and what makes them complain when they are loaded the next time. */
const PROFILES: Readonly<Record<string, { readonly text: string; readonly violation: string }>> = {
  '/usr/local/bin/plain': {
    text: '/usr/local/bin/plain { }',
    violation: `sed -i 's/plain {/plain flags=(complain) {/' ${DIRECTORY}/plain`,
  },
  named: {
    text: 'profile named /usr/local/bin/named { }',
    violation: `sed -i 's/named {/named flags = ( complain ) {/' ${DIRECTORY}/named`,
  },
  several: {
    text: 'profile several /usr/local/bin/several flags=(attach_disconnected) { }',
    violation: `sed -i 's/(/(complain, /' ${DIRECTORY}/several`,
  },
  linked: {
    text: 'profile linked /usr/local/bin/linked { }',
    violation: `ln -s ${DIRECTORY}/linked ${DIRECTORY}/force-complain/linked`,
  },
  'parent//child': {
    text: 'profile parent /usr/local/bin/parent { profile child { } }',
    violation: `sed -i 's/child {/child flags=(complain) {/' ${DIRECTORY}/parent`,
  },
  second: {
    text: 'profile first /usr/local/bin/first { } profile second /usr/local/bin/second { }',
    violation: `sed -i 's/second {/second flags=(complain) {/' ${DIRECTORY}/first`,
  },
  included: {
    text: 'include <local/included-profile>',
    violation: `sed -i 's/included {/included flags=(complain) {/' ${DIRECTORY}/local/included-profile`,
  },
  'quoted name': {
    text: 'profile "quoted name" "/usr/local/bin/quoted name" { }',
    violation: `sed -i 's/ {/ flags=(complain){/' ${DIRECTORY}/quoted`,
  },
}

const FILES: Readonly<Record<string, string>> = {
  '/usr/local/bin/plain': 'plain',
  'parent//child': 'parent',
  second: 'first',
  'quoted name': 'quoted',
}

/** The real parser compiles what a fix writes and is told to load nothing; which profiles the kernel has is unknown. */
export const apparmor: readonly LayeredRule[] = [
  {
    type: 'mac',
    name: 'apparmor',
    properties: { profiles: { one_of: ['enforce', 'unconfined'] }, minimum: Object.keys(PROFILES).length },
    prepare: [
      `echo skip-kernel-load >> /etc/apparmor/parser.conf; mkdir -p ${DIRECTORY}/local ${DIRECTORY}/force-complain`,
      `echo 'profile included /usr/local/bin/included { }' > ${DIRECTORY}/local/included-profile`,
      ...Object.entries(PROFILES).map(
        ([name, { text }]) =>
          `echo '${text}' > ${DIRECTORY}/${FILES[name] ?? name}; apparmor_parser -r ${DIRECTORY}/${FILES[name] ?? name} 2>/dev/null`,
      ),
    ].join('\n'),
    violation: Object.values(PROFILES)
      .map(({ violation }) => violation)
      .join('\n'),
    drift: [
      'second',
      'included',
      'linked',
      'named',
      'parent//child',
      '/usr/local/bin/plain',
      'quoted name',
      'several',
    ].map((name) => ['stored', 'complain', name] as const),
    unseen: ['profiles'],
  },
]
