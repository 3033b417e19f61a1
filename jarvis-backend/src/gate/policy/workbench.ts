import { z } from 'zod'
import type { Finding } from '../../lib/strict-yaml.ts'
import { isWithin, sessionRoot } from '../places/roots.ts'
import type { WorkbenchPolicy } from '../world.ts'
import { keys, matching, text } from './forms.ts'

const flag = z.boolean({ error: 'must be true or false' })
const pathForm = /^\/(?:[^/\p{Cc}]+(?:\/[^/\p{Cc}]+)*)?$/u
const Path = text('an absolute path')
  .regex(pathForm, { error: 'must be an absolute path without a slash at its end, for example /srv/compose' })
  .refine((path) => !path.split('/').some((part) => part === '.' || part === '..'), {
    error: 'must not hold "." or ".."',
  })
const Site = matching(
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:]{2,45}\]):[1-9]\d{0,4}$/,
  'HOST:PORT, for example jellyfin.lan:8096',
)
const sites = z.array(Site, { error: 'must be a list of HOST:PORT' }).max(200, { error: 'must have at most 200 items' })

const RootForm = keys(
  {
    name: matching(/^[a-z0-9][a-z0-9_-]{0,31}$/, 'a short name in lower case, for example compose'),
    path: Path,
    write: flag.optional(),
  },
  'a root with name, path and write, for example {name: compose, path: /srv/compose, write: true}',
)

/** The section `workbench` of policy.yaml. Parts that it does not name are off. */
export const WorkbenchForm = keys(
  {
    roots: z
      .array(RootForm, { error: 'must be a list of roots, each with name, path and write' })
      .max(50, { error: 'must have at most 50 items' })
      .optional(),
    exec: flag.optional(),
    landlock: flag.optional(),
    web: keys({ fetch: flag.optional(), private: sites.optional() }, 'fetch and private').optional(),
    browser: flag.optional(),
    git: flag.optional(),
    docker: Path.optional(),
    egress: sites.optional(),
  },
  'roots, exec, landlock, web, browser, git, docker and egress, for example {roots: [{name: compose, path: /srv/compose}]}',
)
export type WorkbenchForm = z.output<typeof WorkbenchForm>

export const noWorkbench: WorkbenchPolicy = {
  files: false,
  roots: [],
  exec: false,
  landlock: false,
  web: { fetch: undefined, private: new Set() },
  browser: false,
  git: false,
  docker: undefined,
  egress: new Set(),
}

const lower = (list: readonly string[] = []): ReadonlySet<string> => new Set(list.map((item) => item.toLowerCase()))

export const workbenchOf = (form: WorkbenchForm | undefined): WorkbenchPolicy =>
  form === undefined
    ? noWorkbench
    : {
        // On also for commands and downloads, because the same tools read a command's files and a session's downloads.
        files: form.roots !== undefined || form.exec === true,
        roots: (form.roots ?? []).map(({ name, path, write = false }) => ({ name, path, write })),
        exec: form.exec ?? false,
        landlock: form.landlock ?? false,
        web: { fetch: form.web?.fetch, private: lower(form.web?.private) },
        browser: form.browser ?? false,
        git: form.git ?? false,
        docker: form.docker,
        egress: lower(form.egress),
      }

/** Returns the kernel's folder that contains a path; undefined if none does. */
export const kernelFolder = (path: string): string | undefined =>
  ['/proc', '/sys', '/dev', '/run'].find((one) => isWithin(path, one))

/** Finds the problems of the section that its schema cannot find. Skips parts that do not fit the schema. */
export function workbenchProblems(given: unknown): Finding[] {
  const parsed = WorkbenchForm.safeParse(given)
  if (!parsed.success) return []
  const { roots = [], web, docker, git } = parsed.data
  const path = ['workbench']
  return [
    ...roots.flatMap(({ name, path: folder }, index): Finding[] => {
      const at = [...path, 'roots', index]
      const kernel = kernelFolder(folder)
      return [
        ...(roots.findIndex((other) => other.name === name) === index
          ? []
          : [{ path: [...at, 'name'], message: 'is the name of a root before; choose another' }]),
        ...(name === sessionRoot
          ? [{ path: [...at, 'name'], message: `is the name of each session’s own folder; choose another` }]
          : []),
        ...(folder === '/'
          ? [{ path: [...at, 'path'], message: 'is the whole machine; name the folders that JARVIS should work in' }]
          : []),
        ...(kernel === undefined
          ? []
          : [{ path: [...at, 'path'], message: `is in ${kernel}, which holds no files to work on` }]),
      ]
    }),
    ...(web?.fetch === false && (web.private ?? []).length > 0
      ? [{ path: [...path, 'web', 'private'], message: 'lists addresses, and fetch: false reads none of them' }]
      : []),
    ...(git === true && roots.length === 0
      ? [{ path: [...path, 'git'], message: 'needs a root: name the folder of the repository under roots' }]
      : []),
    ...(docker !== undefined && !docker.endsWith('.sock')
      ? [{ path: [...path, 'docker'], message: 'is no socket; it is usually /var/run/docker.sock' }]
      : []),
  ]
}

/** Describes the parts that the section turns on, one line each, for people; empty if all are off. */
export function workbenchLines({
  files,
  roots,
  exec,
  landlock,
  web,
  browser,
  git,
  docker,
  egress,
}: WorkbenchPolicy): string[] {
  const list = (items: ReadonlySet<string>) => [...items].join(', ')
  return [
    ...roots.map(({ name, path, write }) => `files of ${name} (${path}) are read${write ? ' and may be changed' : ''}`),
    ...(files ? ['each session has a folder of its own'] : []),
    ...(exec ? [`commands run in a sandbox${landlock ? ', also where Landlock alone confines them' : ''}`] : []),
    ...(web.fetch === undefined ? [] : [web.fetch ? 'pages of the web are read' : 'no page of the web is read']),
    ...(web.private.size === 0 ? [] : [`in this network, the web tools may reach ${list(web.private)}`]),
    ...(browser ? ['a browser in a sandbox'] : []),
    ...(git ? ['Git in the roots'] : []),
    ...(docker === undefined ? [] : [`Docker at ${docker}`]),
    ...(egress.size === 0 ? [] : [`a sandbox may ask to reach ${list(egress)}`]),
  ]
}
