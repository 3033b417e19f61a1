import { isBase64, isPicture, JarvisError, mostAttachments } from 'protocol'
import { z } from 'zod'
import { ApiError, toApiError } from './errors.ts'
import type { CheckFile, GivenFile } from './turn.ts'

/** A picture. Chat Completions sends an object with the URL, Responses the URL itself. */
const PicturePart = z.looseObject({
  image_url: z.union([z.string(), z.looseObject({ url: z.string() }).transform(({ url }) => url)]),
})
/** A file. Chat Completions sends an object, Responses the fields of that object. */
const FilePart = z.looseObject({ file: z.looseObject({ filename: z.string().nullish(), file_data: z.string() }) })

type Part = { type: string; [field: string]: unknown }

/**
 * Reads the files in a person's message: pictures, and text files. Nothing is fetched.
 * @param given.at the field of the message
 * @param check checks each file as its receiver will
 * @throws ApiError 400, 413 with the part that cannot be used
 */
export function filesIn(
  { content, at }: { content: string | readonly Part[] | null | undefined; at: string },
  check: CheckFile,
): GivenFile[] {
  if (typeof content === 'string' || !content) return []
  const files = content.flatMap((part, index) => {
    const param = `${at}.content[${index}]`
    if (part.type === 'image_url') return pictureIn(part, param, check)
    return part.type === 'file' ? textFileIn(part, param, check) : []
  })
  if (files.length > mostAttachments)
    throw unusable(`${at}.content`, `A message may hold ${mostAttachments} files, and this one has ${files.length}.`)
  return files
}

/** True if a part is a file and not text. */
export const isFilePart = ({ type }: Part): boolean => type === 'image_url' || type === 'file'

function pictureIn(part: Part, param: string, check: CheckFile): GivenFile {
  const read = PicturePart.safeParse(part)
  if (!read.success)
    throw unusable(param, 'A picture is sent as image_url with a data: URL; files by id are not known here.')
  const data = bytesOf(read.data.image_url, param)
  const file = checked({ name: 'picture', data }, param, check)
  if (!isPicture(file)) throw unusable(param, 'This is no picture that JARVIS takes: PNG, JPEG, WebP or GIF.')
  return { name: `picture.${file.mimeType.slice('image/'.length)}`, data }
}

function textFileIn(part: Part, param: string, check: CheckFile): GivenFile {
  const read = FilePart.safeParse(part)
  if (!read.success)
    throw unusable(param, 'A file is sent as file_data with a data: URL; files by id or address are not known here.')
  const { filename, file_data } = read.data.file
  const given = { name: filename?.trim() || 'file', data: bytesOf(file_data, param) }
  checked(given, param, check)
  return given
}

/** Checks a file as its receiver will. @throws ApiError 400, 413 */
function checked(file: GivenFile, param: string, check: CheckFile) {
  try {
    return check(file)
  } catch (error) {
    const known = error instanceof JarvisError ? toApiError(error) : undefined
    throw known === undefined ? error : unusableAs(known, param)
  }
}

/** The bytes of a `data:` URL. Other addresses are never fetched: they could lead into this server's network. */
function bytesOf(url: string, param: string): Buffer {
  const comma = url.indexOf(',')
  if (!/^data:/i.test(url))
    throw unusable(param, 'JARVIS fetches nothing by its address. Send the file itself as a data: URL in base64.')
  if (comma < 0 || comma > 200 || !/;base64$/i.test(url.slice(0, comma)))
    throw unusable(param, 'The data: URL is not in base64.')
  const base64 = url.slice(comma + 1)
  if (!isBase64(base64)) throw unusable(param, 'The data: URL is not in base64.')
  return Buffer.from(base64, 'base64')
}

const unusableAs = ({ status, code, message }: ApiError, param: string) =>
  status === 400 ? unusable(param, message) : new ApiError(code, message, { status, param })

const unusable = (param: string, message: string) =>
  new ApiError('unsupported_content', message, { status: 400, param })
