import type { WorkbenchPolicy } from '../gate/index.ts'
import type { AreaName } from '../protocol/index.ts'

/** For each area: whether policy.yaml turns it on, undefined where it does not say; and the lines that do, below `workbench:`. */
export const areas: Readonly<Record<AreaName, { isOn(policy: WorkbenchPolicy): boolean | undefined; key: string }>> = {
  files: {
    isOn: ({ files }) => files,
    key: 'roots:\n  - name: compose\n    path: /srv/compose\n    write: true',
  },
  exec: { isOn: ({ exec }) => exec, key: 'exec: true' },
  web: { isOn: ({ web }) => web.fetch, key: 'web:\n  fetch: true' },
  browser: { isOn: ({ browser }) => browser, key: 'browser: true' },
  git: { isOn: ({ git }) => git, key: 'git: true' },
  docker: { isOn: ({ docker }) => docker !== undefined, key: 'docker: /var/run/docker.sock' },
}

/** Why a tool of an area that is off does not run, with what turns it on. */
export const offReason = (name: AreaName): string =>
  `This part of the workbench is off. An owner turns it on with these lines below workbench: in policy.yaml: ${areas[name].key.replace(/\n\s*/g, ' ')}.`
