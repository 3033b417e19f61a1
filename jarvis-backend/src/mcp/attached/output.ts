import type { CallToolResult } from '@modelcontextprotocol/client'
import { isDeeperThan } from '../../lib/depth.ts'
import type { ReceivedFile, ToolImage, ToolOutput } from '../../tools/tool.ts'
import { imageOf, inWords, mostImages } from './image.ts'
import { visible } from './text.ts'

const longestText = 50_000
const longestData = 100_000
const deepestData = 30

/** Turns a server's answer into a tool's output. The answer is data, never an instruction. */
export function outputOf({ content, structuredContent, isError }: CallToolResult): ToolOutput {
  const isShallow = structuredContent !== undefined && !isDeeperThan(structuredContent, deepestData)
  const json = isShallow ? JSON.stringify(structuredContent) : ''
  const isData = isShallow && typeof structuredContent === 'object' && !Array.isArray(structuredContent)
  const data = isData ? (structuredContent as Record<string, unknown>) : undefined
  const images: ToolImage[] = []
  const words = content.map((block) => pictureText(block, images) ?? blockText(block)).join('\n')
  const whole = words === '' ? json : words
  const text =
    whole.length <= longestText
      ? whole
      : `${whole.slice(0, longestText)}\n… ${whole.length - longestText} more characters left out`
  const [first = ''] = whole.trimStart().slice(0, 1_000).split('\n')
  const summary = visible(first, 160) || (isError === true ? 'It failed.' : 'Done.')
  return {
    text,
    summary,
    ...(data !== undefined && json.length <= longestData && { data }),
    ...(images.length > 0 && { images }),
    received: content.flatMap(fileIn),
    isError: isError === true,
  }
}

/**
 * Reads a picture from a block and adds it to `images`, up to `mostImages`. @returns the text that replaces the picture; undefined if the block
 * stays
 */
function pictureText(block: CallToolResult['content'][number], images: ToolImage[]): string | undefined {
  const image = block.type === 'image' && images.length < mostImages ? imageOf(block.data) : undefined
  if (image === undefined) return undefined
  images.push(image)
  return inWords(image)
}

/** The file of a block. A resource and a sound are files; a picture is shown by itself. */
function fileIn(block: CallToolResult['content'][number]): ReceivedFile[] {
  if (block.type === 'audio')
    return [{ name: `sound.${block.mimeType.replace(/^.*\//, '')}`, data: Buffer.from(block.data, 'base64') }]
  if (block.type !== 'resource') return []
  const { uri } = block.resource
  const data = 'text' in block.resource ? Buffer.from(block.resource.text) : Buffer.from(block.resource.blob, 'base64')
  return [{ name: uri.split(/[?#]/, 1)[0]?.split('/').at(-1) || 'file', data }]
}

function blockText(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${Math.ceil((block.data.length * 3) / 4 / 1024)} kB, not shown]`
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[${block.resource.uri}, binary, not shown]`
    case 'resource_link':
      return `[${block.uri}] ${block.title ?? block.name}`
    default:
      return '[content of an unknown kind]'
  }
}
