import type { AreaName, WorkbenchArea, WorkbenchSection } from 'protocol'

type RootRow = NonNullable<WorkbenchSection['roots']>[number]

const usualSocket = '/var/run/docker.sock'

/** True if a section turns an area on. An area that the section does not mention keeps its present state. */
export function isOn({ name, isOn: inForce }: WorkbenchArea, section: WorkbenchSection): boolean {
  switch (name) {
    case 'files':
      return section.roots !== undefined || section.exec
    case 'web':
      return section.web.fetch ?? inForce
    case 'docker':
      return section.docker !== undefined
    default:
      return section[name]
  }
}

/** Returns the section with an area turned on or off. Turning off files removes the roots. */
export function switched(section: WorkbenchSection, area: AreaName, on: boolean): WorkbenchSection {
  const { roots, docker, ...rest } = section
  switch (area) {
    case 'files':
      return { ...rest, docker, ...(on && { roots: roots ?? [] }) }
    case 'docker':
      return { ...rest, roots, ...(on && { docker: docker ?? usualSocket }) }
    case 'web':
      return { ...section, web: { ...section.web, fetch: on } }
    default:
      return { ...section, [area]: on }
  }
}

/** Returns why an area cannot be turned on or off now; undefined if it can. */
export function hindrance(section: WorkbenchSection, area: AreaName, on: boolean): string | undefined {
  if (area === 'git' && on && (section.roots ?? []).length === 0)
    return 'Add the folder of the repository as a root first.'
  if (area === 'files' && !on && section.exec)
    return 'Commands need the folder of the conversation: turn them off first.'
  if (area === 'files' && !on && section.git) return 'Git works in the roots: turn it off first.'
  if (area === 'web' && !on && section.web.private.length > 0) return 'Take the places of this network away first.'
  return undefined
}

/** Adds a root, or replaces the root with the same name. */
export function withRoot(section: WorkbenchSection, root: RootRow): WorkbenchSection {
  const roots = section.roots ?? []
  const isThere = roots.some(({ name }) => name === root.name)
  return { ...section, roots: isThere ? roots.map((one) => (one.name === root.name ? root : one)) : [...roots, root] }
}

/** Removes a root. Git needs at least one root, so removing the last one turns Git off. */
export function withoutRoot(section: WorkbenchSection, name: string): WorkbenchSection {
  const roots = (section.roots ?? []).filter((root) => root.name !== name)
  return { ...section, roots, git: section.git && roots.length > 0 }
}
