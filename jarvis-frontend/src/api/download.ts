import { ApiError, authorization } from './http.ts'

function unsaved(): never {
  throw new ApiError('unreachable', 'JARVIS could not be reached. Nothing was saved.')
}

/** Downloads a response as a file named `name`. @throws ApiError if the server refuses or does not answer */
export async function download(path: string, name: string): Promise<void> {
  const response = await fetch(path, { headers: authorization() }).catch(unsaved)
  if (!response.ok) throw new ApiError('refused', `The server refused it (${response.status}). Nothing was saved.`)
  const url = URL.createObjectURL(await response.blob().catch(unsaved))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
