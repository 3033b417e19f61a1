import DOMPurify from 'dompurify'
import mermaid from 'mermaid'
import { sanitiseMarkup } from '../../../lib/trusted.ts'
import { diagramText } from './diagram-text.ts'

const longest = 20_000
mermaid.initialize({
  startOnLoad: false,
  securityLevel: 'strict',
  suppressErrorRendering: true,
  theme: 'neutral',
  // The picture cannot use the page's fonts, so measure it with a font that it will have.
  fontFamily: 'sans-serif',
  htmlLabels: false,
  flowchart: { htmlLabels: false, useMaxWidth: false },
  maxTextSize: longest,
  maxEdges: 300,
})

/** Removes everything executable from a drawing. Text that is only a part of an SVG, such as `<g>`, is parsed in the SVG namespace. */
const sanitise = (text: string) =>
  DOMPurify.sanitize(text, {
    ADD_TAGS: ['foreignobject'],
    ADD_ATTR: ['dominant-baseline'],
    HTML_INTEGRATION_POINTS: { foreignobject: true },
    ...(/^\s*<g[\s>]/.test(text) && { NAMESPACE: 'http://www.w3.org/2000/svg' }),
  })
sanitiseMarkup(sanitise)

/** `width`, `height`: drawn size, px. */
export type Drawing = { src: string; width: number; height: number }

let drawn = 0

/**
 * Draws a diagram as a picture. For any text, the picture runs no code, has no links, loads nothing and cannot leave its box. @throws Error if the
 * text does not parse
 */
export async function draw(text: string): Promise<Drawing> {
  if (text.length > longest) throw new Error('It is too long.')
  // Mermaid measures here, outside the visible page.
  const desk = document.createElement('div')
  desk.className = 'diagram-desk'
  desk.setAttribute('aria-hidden', 'true')
  document.body.append(desk)
  try {
    const { svg } = await mermaid.render(`diagram-${drawn++}`, diagramText(text), desk)
    const root = new DOMParser().parseFromString(svg, 'text/html').querySelector('svg')
    const [, , width = 0, height = 0] =
      root
        ?.getAttribute('viewBox')
        ?.split(/[\s,]+/)
        .map(Number) ?? []
    if (root === null || !(width > 0 && height > 0)) throw new Error('It has no size.')
    root.removeAttribute('style')
    root.setAttribute('width', `${width}`)
    root.setAttribute('height', `${height}`)
    const src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(root))}`
    return { src, width: Math.ceil(width), height: Math.ceil(height) }
  } finally {
    desk.remove()
  }
}
