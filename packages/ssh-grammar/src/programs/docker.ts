import type { Grammar } from '../grammar.ts'
import { number, when, word } from '../patterns.ts'

const long = (names: string) => names.split(' ').map((name) => `--${name}`)
const none: Grammar = {}
const container = /^[A-Za-z0-9][\w.-]*$/
/**
 * Allowed templates: `table {{.Names}}\t{{.Status}}`, `{{json .State}}`; only fields. A function that pads or repeats text could fill the memory,
 * and a function that cuts text could show half of a secret.
 */
const columns =
  /^(?!-)(?:json|table|raw|(?:[^{}]*\{\{ ?(?:json )?\.(?:[A-Za-z]\w*(?:\.[A-Za-z]\w*){0,6})? ?\}\}){1,16}[^{}]*)$/s
const format = { '--format': columns, '--filter': /^[a-z]+=[\w.:/=-]+$/ }
const containers: Grammar = { rest: container, min: 1 }

const ps: Grammar = {
  flags: 'aqsl',
  words: long('all quiet size latest no-trunc'),
  values: { ...format, '-n': number, '--last': number, '-f': format['--filter'] },
}
const images: Grammar = {
  flags: 'aq',
  words: long('all quiet digests no-trunc'),
  values: { ...format, '-f': format['--filter'] },
  rest: /^[a-z0-9][\w.:/-]*$/,
}
const logs: Grammar = {
  flags: 't',
  words: ['--timestamps'],
  values: { '--tail': /^(?:\d{1,6}|all)$/, '-n': /^(?:\d{1,6}|all)$/, '--since': when, '--until': when },
  operands: [container],
  min: 1,
  denied: {
    '-f': 'wait for more and never end',
    '--follow': 'wait for more and never end',
    '--details': 'show variables',
  },
}
const stats: Grammar = {
  flags: 'a',
  words: ['--no-stream', '--all', '--no-trunc'],
  values: { '--format': columns },
  needs: [['--no-stream']],
  rest: container,
}
const top: Grammar = { operands: [container, /^(?:aux|-ef)$/], min: 1 }
/** Allowed templates for `inspect`. They may name only fields without secrets. Without a template, variables and arguments are masked. */
const template =
  /^(?=.*\{\{)(?!(?:(?:[^{]|\{(?!\{))*\{\{){17})(?:[\w .:,=/-]|\{\{ ?(?:json )?\.(?:Id|Name|Created|Image|Path|RestartCount|Platform|Driver|State|Mounts|NetworkSettings|LogPath|HostConfig\.LogConfig\.Type|HostConfig\.(?:RestartPolicy|NetworkMode|Memory|NanoCpus|Privileged|PortBindings|Binds)|Config\.(?:Image|Hostname|User|WorkingDir|ExposedPorts|Volumes))(?:\.\w+)* ?\}\})+$/
const inspect: Grammar = {
  flags: 's',
  words: ['--size'],
  values: { '-f': template, '--format': template, '--type': /^(?:container|image|network)$/ },
  rest: /^[A-Za-z0-9][\w.:/-]*$/,
  min: 1,
}

/** The sub-commands of podman that read, with the same grammar as docker's. */
const podman: Grammar = { sub: { ps, logs, stats, top, port: containers, images, version: none } }

/** Programs that show containers, their state and their logs. */
export const dockerPrograms: Readonly<Record<string, Grammar>> = {
  podman,
  docker: {
    words: ['-v', '--version'],
    subOptional: true,
    check: ({ options }) => (options.size > 0 ? undefined : 'docker needs a sub-command that only reads.'),
    sub: {
      ps,
      logs,
      stats,
      top,
      port: containers,
      inspect,
      images,
      version: { values: { '--format': columns, '-f': columns } },
      info: { values: { '--format': columns, '-f': columns } },
      diff: containers,
      system: { sub: { df: { flags: 'v' }, info: none } },
      network: {
        sub: {
          ls: { flags: 'q', words: ['--no-trunc'], values: format },
          inspect: { ...containers, values: { '-f': columns, '--format': columns } },
        },
      },
      volume: { sub: { ls: { flags: 'q', values: format } } },
      context: { sub: { ls: none } },
      container: { sub: { ls: ps, ps, list: ps, logs, stats, top, port: containers, inspect } },
      image: { sub: { ls: images, list: images, inspect } },
      compose: {
        values: { '-p': word, '--project-name': word },
        sub: {
          ls: { flags: 'a', words: ['--all'] },
          ps: { flags: 'aq', words: ['--all'] },
          version: none,
          logs: { ...logs, words: ['--timestamps', '--no-color', '--no-log-prefix'], rest: container, min: 0 },
        },
      },
    },
    denied: { '-H': 'act on another machine', '--host': 'act on another machine', '-c': 'act on another machine' },
    deniedSubs: {
      exec: 'runs a program in a container',
      run: 'starts a new container',
      rm: 'deletes containers',
      cp: 'copies files',
      events: 'waits for more and never ends',
      attach: 'waits for more and never ends',
    },
  },
}
