import type { AlertObject } from 'protocol'

/** The page of a node. */
export const nodePath = (name: string): string => `/node/${encodeURIComponent(name)}`

/** The page of the object of an alert; undefined if it has none. @param id such as `vm/101`, `storage/pve/local`, `disk/pve/sda` */
export function objectPath({ id, node, vmid }: AlertObject): string | undefined {
  const [kind, ...names] = id.split('/')
  const name = names.at(-1)
  if (vmid !== undefined) return `/guest/${vmid}`
  if (kind === 'storage' && name !== undefined)
    return storagePath({ name, node: names.length > 1 ? names[0] : undefined })
  const on = kind === 'node' ? name : node
  return on === undefined ? undefined : nodePath(on)
}

/** The page of a storage. @param node of a storage that is not shared */
export const storagePath = ({ name, node }: { name: string; node?: string | undefined }): string =>
  `/storage/${encodeURIComponent(name)}${node === undefined ? '' : `?node=${encodeURIComponent(node)}`}`
