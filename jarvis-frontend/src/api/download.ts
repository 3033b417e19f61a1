/** Saves a reply as a file named `name`. @throws ApiError if the server refuses or does not answer */
export async function download(asked: Promise<Blob>, name: string): Promise<void> {
  const url = URL.createObjectURL(await asked)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
