import type { AreaName } from 'protocol'
import type { WorkbenchPolicy } from '../gate/index.ts'

/**
 * For each area of the workbench: `isOn` tells if policy.yaml turns the area on, undefined if the file does not say. `key` holds the lines below
 * `workbench:` that turn it on. `allows` tells people what JARVIS may do then.
 */
export const areas: Readonly<
  Record<AreaName, { isOn(policy: WorkbenchPolicy): boolean | undefined; key: string; allows: string }>
> = {
  files: {
    allows:
      'Files in the roots are read and searched without asking. A change in a root with “write” asks, with the difference on the card. Each conversation gets a folder of its own, in which changes run at once.',
    isOn: ({ files }) => files,
    key: 'roots:\n  - name: compose\n    path: /srv/compose\n    write: true',
  },
  exec: {
    allows:
      'Commands of the model run without asking, in a sandbox without a network, on a view of one root or of the conversation’s folder. What a command would change in a root is applied only after a card. A place listed under egress can be reached after a card.',
    isOn: ({ exec }) => exec,
    key: 'exec: true',
  },
  web: {
    allows:
      'Public pages are read without asking where you or a search named the address; an address that the model composed asks once strangers’ texts were read. Each request tells the site this machine’s address.',
    isOn: ({ web }) => web.fetch,
    key: 'web:\n  fetch: true',
  },
  browser: {
    allows:
      'Chromium runs in the sandbox and shows pages without asking. Clicks, Enter and uploads ask. It starts with no sign-ins, and reaches the site that was opened and what egress lists.',
    isOn: ({ browser }) => browser,
    key: 'browser: true',
  },
  git: {
    allows:
      'History, differences and branches of the repositories in the roots are read without asking. Commits and branch changes are recorded, or ask. No hook or other program of a repository runs; nothing is fetched or pushed.',
    isOn: ({ git }) => git,
    key: 'git: true',
  },
  docker: {
    allows:
      'Containers of this machine are listed, and their logs read, without asking. Start, stop, restart and a command in one ask. Whoever reaches this socket is root on this machine; JARVIS sends it ten fixed requests and no others.',
    isOn: ({ docker }) => docker !== undefined,
    key: 'docker: /var/run/docker.sock',
  },
}

/** The reason why a tool of an area that is off does not run. It names the lines that turn the area on. */
export const offReason = (name: AreaName): string =>
  `This part of the workbench is off. An owner turns it on under Settings → Workbench, or with these lines below workbench: in policy.yaml: ${areas[name].key.replace(/\n\s*/g, ' ')}.`
