import { isAbsolute } from 'node:path'
import { defineResource, type ResourceType } from '../../resource-type/define.ts'
import { decideExec } from './decide.ts'
import { execExports, exportsOfExec } from './exports.ts'
import { posix } from './posix.ts'
import { isSet } from '../../core/property.ts'
import { type ExecProperties, execProperties, execRules } from './properties.ts'
import { shell } from './shell.ts'

/** Commands that bring the machine into a state which their guards can see. */
export const exec: ResourceType = defineResource({
  type: 'exec',
  summary: 'Commands that a fix runs where their guards ask for it. Audits run the guards only.',
  properties: execProperties,
  rules: execRules,
  exports: execExports,
  hint,
  subscribes: true,
  drifts: ['run'],
  examples: [
    {
      title: 'A command that makes a file',
      yaml: [
        'exec:',
        '  - /usr/bin/openssl dhparam -out /etc/ssl/dhparam.pem 2048:',
        '      creates: /etc/ssl/dhparam.pem',
      ].join('\n'),
    },
    {
      title: 'A command with a guard, both with a time limit',
      yaml: [
        'exec:',
        '  - flathub:',
        '      command: flatpak remote-add flathub https://dl.flathub.org/repo/flathub.flatpakrepo',
        '      unless: grep -q flathub /var/lib/flatpak/repo/config',
        '      timeout: 1m',
      ].join('\n'),
    },
    {
      title: 'A shell command that runs when another resource was changed, and at no other time',
      yaml: [
        'exec:',
        '  - make-parameters:',
        '      command: openssl dhparam -out /etc/ssl/dhparam.pem 2048',
        '      creates: /etc/ssl/dhparam.pem',
        '  - reload-web:',
        '      command: test ! -e /run/nginx.pid || kill -HUP "$(cat /run/nginx.pid)"',
        '      provider: shell',
        '      refreshonly: true',
        '      subscribe: [exec#make-parameters]',
      ].join('\n'),
    },
    {
      title: 'Own variables, search path and exit codes',
      yaml: [
        'exec:',
        '  - app-migrate --quiet:',
        '      cwd: /opt/app',
        '      path: /opt/app/bin:/usr/bin:/bin',
        '      environment: [APP_ENV=production]',
        '      returns: [0, 2]',
        '      onlyif: app-migrate --pending',
        '      logoutput: true',
      ].join('\n'),
    },
  ],
  providers: [posix, shell],
  decide: (desired, { context }, occasion) => decideExec(context.argv, desired, context, occasion),
  exportsOf: (_, { context }) => exportsOfExec(context),
  provides,
})

function provides({ creates }: ExecProperties): readonly string[] {
  return isSet(creates) && isAbsolute(creates) ? [creates] : []
}

const GUARDS = ['creates', 'onlyif', 'unless'] as const

function hint(given: Readonly<Record<string, unknown>>): string | undefined {
  const isGuarded = GUARDS.some((guard) => given[guard] !== undefined && given[guard] !== '')
  if (isGuarded || (given['refreshonly'] ?? false) !== false) return undefined
  return 'an exec without creates, onlyif, unless or refreshonly drifts in every audit, and every fix runs it'
}
