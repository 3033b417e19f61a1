/** A file of a folder that a person chose or dropped. `path`: within that folder. */
export type FolderFile = { path: string; file: File }

/** Takes the files that are meant: without hidden ones, such as `.DS_Store` and `.git`. */
const meant = (files: readonly FolderFile[]) =>
  files.filter(({ path }) => !path.split('/').some((name) => name.startsWith('.')))

/** The files of a file input. A chosen folder's own name is left out of the paths. */
export const chosenFiles = (files: FileList | null): FolderFile[] =>
  meant(
    [...(files ?? [])].map((file) => ({
      file,
      path: file.webkitRelativePath.split('/').slice(1).join('/') || file.name,
    })),
  )

/** Reads what was dropped: files, or one folder with all that is in it. */
export async function droppedFiles(dropped: DataTransfer): Promise<FolderFile[]> {
  const entries = [...dropped.items].flatMap((item) => item.webkitGetAsEntry() ?? [])
  const [only] = entries
  const top = entries.length === 1 && only instanceof FileSystemDirectoryEntry ? await entriesOf(only) : entries
  return meant((await Promise.all(top.map((entry) => filesOf(entry, '')))).flat())
}

async function filesOf(entry: FileSystemEntry, above: string): Promise<FolderFile[]> {
  const path = `${above}${entry.name}`
  if (entry instanceof FileSystemDirectoryEntry)
    return (await Promise.all((await entriesOf(entry)).map((one) => filesOf(one, `${path}/`)))).flat()
  const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
  return [{ path, file }]
}

/** Reads all entries of a folder. The browser hands them over in batches. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (batch.length === 0) return all
    all.push(...batch)
  }
}

/** A file's content in base64. */
export async function base64Of(file: File): Promise<string> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
  return url.slice(url.indexOf(',') + 1)
}
