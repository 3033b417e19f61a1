/** Longest side of a picture, px. Claude refuses longer ones in a request with many pictures, and all models scale longer ones down. */
const longestSide = 2_000
/** Largest file of a picture, bytes. The server takes no larger one. */
const mostBytes = 3_500_000
const quality = 0.85
/** Picture formats that models accept. */
const usual = /^image\/(?:png|jpeg|webp|gif)$/
/** Formats that are never converted: SVG is text, and a scaled GIF would lose its animation. */
const kept = /^image\/(?:svg\+xml|gif)$/

/**
 * Scales a picture down to the size that models accept, and converts a format that they do not accept to JPEG.
 * @returns the file itself if nothing needs to change, or if the browser cannot read the picture
 */
export async function smallerPicture(file: File): Promise<File> {
  if (!file.type.startsWith('image/') || kept.test(file.type)) return file
  const picture = await createImageBitmap(file).catch(() => undefined)
  if (picture === undefined) return file
  try {
    const longest = Math.max(picture.width, picture.height)
    if (usual.test(file.type) && longest <= longestSide && file.size <= mostBytes) return file
    return (await drawn(picture, file, Math.min(1, longestSide / longest))) ?? file
  } finally {
    picture.close()
  }
}

/** Encodes the scaled picture. A PNG stays a PNG if the file is small enough, because JPEG blurs text. */
async function drawn(picture: ImageBitmap, { name, type }: File, scale: number): Promise<File | undefined> {
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return undefined
  context.imageSmoothingQuality = 'high'
  context.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const exact = type === 'image/png' ? await encoded(canvas, type) : null
  if (exact !== null && exact.size <= mostBytes) return new File([exact], name, { type })
  // JPEG has no transparency, so put white behind the picture.
  context.globalCompositeOperation = 'destination-over'
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  const jpeg = await encoded(canvas, 'image/jpeg')
  if (jpeg === null || jpeg.size > mostBytes) return undefined
  return new File([jpeg], `${name.replace(/\.[^.]*$/, '')}.jpg`, { type: 'image/jpeg' })
}

const encoded = (canvas: HTMLCanvasElement, type: string) =>
  new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, quality))
