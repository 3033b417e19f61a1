const pageBytes = 1 << 20
const pageBits = 20
/** Sizes of the slices of a list, bytes. Each slice is larger than the previous one, so that a short list takes little space. */
const sliceBytes = [16, 32, 64, 128, 256, 512, 1024, 4096]
const linkBytes = 4
const none = 0xffffffff

/**
 * Numbered lists of bytes that grow at the end. A list consists of slices in shared pages. The last bytes of a full slice hold the address of the
 * next slice.
 */
export class ByteLists {
  readonly #pages: Uint8Array[] = []
  #nextFree = 0
  /** By list number: the address of the first slice, the address of the end, the free bytes of the last slice, and its index in `sliceBytes`. */
  #first = new Uint32Array(1 << 14).fill(none)
  #tail = new Uint32Array(1 << 14)
  #left = new Uint16Array(1 << 14)
  #grade = new Uint8Array(1 << 14)

  /** Makes room for `lists` lists. */
  reserve(lists: number): void {
    if (lists <= this.#first.length) return
    this.#first = grown(this.#first, new Uint32Array(lists).fill(none, this.#first.length))
    this.#tail = grown(this.#tail, new Uint32Array(lists))
    this.#left = grown(this.#left, new Uint16Array(lists))
    this.#grade = grown(this.#grade, new Uint8Array(lists))
  }

  putByte(list: number, byte: number): void {
    if (this.#first[list] === none) this.#begin(list)
    else if (this.#left[list] === 0) this.#continue(list)
    const at = this.#tail[list] as number
    ;(this.#pages[at >>> pageBits] as Uint8Array)[at & (pageBytes - 1)] = byte
    this.#tail[list] = at + 1
    this.#left[list] = (this.#left[list] as number) - 1
  }

  /** Puts a number as one byte for each 7 bits, lowest first. All bytes but the last have the highest bit set. */
  putNumber(list: number, value: number): void {
    let rest = value
    while (rest > 127) {
      this.putByte(list, (rest & 127) | 128)
      rest >>>= 7
    }
    this.putByte(list, rest)
  }

  /** Reads a list from its start. The list must have at least one byte. */
  reader(list: number): ByteReader {
    return new ByteReader(this.#pages, this.#first[list] as number)
  }

  get bytes(): number {
    const byList = this.#first.byteLength + this.#tail.byteLength + this.#left.byteLength + this.#grade.byteLength
    return this.#pages.length * pageBytes + byList
  }

  #begin(list: number): void {
    const bytes = sliceBytes[0] as number
    const address = this.#newSlice(bytes)
    this.#first[list] = address
    this.#tail[list] = address
    this.#left[list] = bytes - linkBytes
  }

  /** Starts a new slice, and writes its address at the end of the full one. */
  #continue(list: number): void {
    const grade = Math.min((this.#grade[list] as number) + 1, sliceBytes.length - 1)
    const bytes = sliceBytes[grade] as number
    const address = this.#newSlice(bytes)
    const at = this.#tail[list] as number
    const page = this.#pages[at >>> pageBits] as Uint8Array
    const offset = at & (pageBytes - 1)
    for (let byteAt = 0; byteAt < linkBytes; byteAt += 1) page[offset + byteAt] = address >>> (8 * byteAt)
    this.#grade[list] = grade
    this.#tail[list] = address
    this.#left[list] = bytes - linkBytes
  }

  /** Allocates a slice that does not cross a page. @returns its address */
  #newSlice(bytes: number): number {
    const offset = this.#nextFree & (pageBytes - 1)
    const isFull = offset + bytes > pageBytes || this.#nextFree >>> pageBits >= this.#pages.length
    if (isFull) {
      this.#nextFree = this.#pages.length << pageBits
      this.#pages.push(new Uint8Array(pageBytes))
    }
    const address = this.#nextFree
    this.#nextFree += bytes
    return address
  }
}

export class ByteReader {
  readonly #pages: readonly Uint8Array[]
  #page: Uint8Array
  #offset: number
  /** Bytes left in the present slice. */
  #left: number
  #grade = 0

  constructor(pages: readonly Uint8Array[], first: number) {
    this.#pages = pages
    this.#page = pages[first >>> pageBits] as Uint8Array
    this.#offset = first & (pageBytes - 1)
    this.#left = (sliceBytes[0] as number) - linkBytes
  }

  /** Returns the next byte. The caller must know how many there are. */
  next(): number {
    if (this.#left === 0) this.#follow()
    this.#left -= 1
    const byte = this.#page[this.#offset] as number
    this.#offset += 1
    return byte
  }

  /** Continues with the next slice. */
  #follow(): void {
    const page = this.#page
    const offset = this.#offset
    const address =
      ((page[offset] as number) |
        ((page[offset + 1] as number) << 8) |
        ((page[offset + 2] as number) << 16) |
        ((page[offset + 3] as number) << 24)) >>>
      0
    this.#page = this.#pages[address >>> pageBits] as Uint8Array
    this.#offset = address & (pageBytes - 1)
    this.#grade = Math.min(this.#grade + 1, sliceBytes.length - 1)
    this.#left = (sliceBytes[this.#grade] as number) - linkBytes
  }
}

export function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from)
  return to
}
