import type { WorkbenchSection } from 'protocol'
import { type Document, isMap, isSeq, type YAMLMap } from 'yaml'
import { withSection } from '../../lib/yaml-section.ts'
import type { WorkbenchForm } from './workbench.ts'

/** Returns the file's section in the form that the dashboard's page shows. Parts that the file does not name are off. */
export const sectionOf = (form: WorkbenchForm = {}): WorkbenchSection => ({
  ...(form.roots && { roots: form.roots.map(({ name, path, write = false }) => ({ name, path, write })) }),
  exec: form.exec ?? false,
  ...(form.landlock !== undefined && { landlock: form.landlock }),
  web: { ...(form.web?.fetch !== undefined && { fetch: form.web.fetch }), private: form.web?.private ?? [] },
  browser: form.browser ?? false,
  git: form.git ?? false,
  ...(form.docker !== undefined && { docker: form.docker }),
  egress: form.egress ?? [],
})

/** Returns the text of policy.yaml with another section `workbench`. Unchanged parts keep their lines and comments. */
export const withWorkbench = (text: string, wanted: WorkbenchSection): string =>
  withSection(text, 'workbench', (section, document) => {
    setRoots(section, document, wanted.roots)
    setFlag(section, 'exec', wanted.exec)
    setFlag(section, 'landlock', wanted.landlock ?? false)
    setWeb(section, document, wanted.web)
    setFlag(section, 'browser', wanted.browser)
    setFlag(section, 'git', wanted.git)
    if (wanted.docker === undefined) section.delete('docker')
    else section.set('docker', wanted.docker)
    setList({ section, document }, 'egress', wanted.egress)
  })

/** Sets a flag. A part that is off and not in the file is not added. A part that is in the file gets the value `false`, so that its comment stays. */
function setFlag(section: YAMLMap, key: string, value: boolean) {
  if (value || section.has(key)) section.set(key, value)
}

function setWeb(section: YAMLMap, document: Document, { fetch, private: hosts }: WorkbenchSection['web']) {
  if (!section.has('web') && fetch === undefined && hosts.length === 0) return
  if (!isMap(section.get('web'))) section.set('web', document.createNode({}))
  const web = section.get('web')
  if (!isMap(web)) return
  if (web.items.length === 0) web.flow = false
  if (fetch === undefined) web.delete('fetch')
  else web.set('fetch', fetch)
  setList({ section: web, document }, 'private', hosts)
  if (web.items.length === 0) section.delete('web')
}

function setList(
  { section, document }: { section: YAMLMap; document: Document },
  key: string,
  wanted: readonly string[],
) {
  if (!isSeq(section.get(key))) {
    if (wanted.length === 0) return
    const made = document.createNode([...wanted])
    if (isSeq(made)) made.flow = true
    section.set(key, made)
  }
  const list = section.get(key)
  if (!isSeq(list)) return
  const at = (index: number) => String(list.get(index))
  list.items = list.items.filter((_, index) => wanted.includes(at(index)))
  const there = list.items.map((_, index) => at(index))
  for (const item of wanted) if (!there.includes(item)) list.add(document.createNode(item))
  if (list.items.length === 0) list.flow = true
}

function setRoots(section: YAMLMap, document: Document, wanted: WorkbenchSection['roots']) {
  if (wanted === undefined) {
    section.delete('roots')
    return
  }
  if (!isSeq(section.get('roots'))) section.set('roots', document.createNode([]))
  const list = section.get('roots')
  if (!isSeq(list)) return
  if (list.items.length === 0) list.flow = false
  const named = (name: string) => list.items.find((item) => isMap(item) && item.get('name') === name)
  list.items = list.items.filter((item) => isMap(item) && wanted.some(({ name }) => name === item.get('name')))
  for (const { name, path, write } of wanted) {
    const there = named(name)
    if (isMap(there)) {
      there.set('path', path)
      setFlag(there, 'write', write)
    } else {
      const made = document.createNode({ name, path, ...(write && { write }) })
      if (isMap(made)) made.flow = true
      list.add(made)
    }
  }
  if (list.items.length === 0) list.flow = true
}
