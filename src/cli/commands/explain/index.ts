import { type Command, defineCommand } from '../../command.ts'
import { limitsOf } from '../../options/input.ts'
import { OPTIONS } from './options.ts'

/** `driftgate explain`: one resource of a policy as it is on this machine, and where everything in it comes from. */
export const explain: Command = defineCommand({
  name: 'explain',
  summary: 'Explain one resource: where its values come from, and what a fix would do',
  details:
    'The resource is type#name, type#alias, or a name of which there is one; in a child manifest\n' +
    '"apply#x > type#name". Shown are its properties with the place where each was set and what its\n' +
    'templates read, its control, what it supports and depends on, its provider, and an audit of this\n' +
    'resource, which changes nothing and does not evaluate what the resource requires.\n' +
    'Exit code 0: it is shown, whatever its verdict. 1: the policy is not valid, or there is no such resource.',
  operands: {
    name: 'policy',
    others: ['resource'],
    summary: 'A policy file, a bundle (by path or http(s) address), or - for standard input; then the resource',
    atLeast: 2,
    atMost: 2,
    arePolicies: true,
  },
  options: OPTIONS,
  travels: true,
  examples: [
    { command: 'driftgate explain web.yaml file#/etc/motd', summary: 'Why this file drifts' },
    {
      command: 'driftgate explain web.yaml file#/etc/motd --fact role=web --set port=8443',
      summary: 'What other inputs would change',
    },
    { command: "driftgate explain web.yaml file#/etc/motd --json | jq '.properties'", summary: 'For programs' },
  ],
  limits: ({ operands, options }) => limitsOf(operands.slice(0, 1), options),
  run: async (invocation, io) => (await import('./run.ts')).runExplain(invocation, io),
})
