// Arrays as the page carries them: gzip of bytes, all lowest bytes first, in letters (see report/explorer.py).

const TYPES = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i8: BigInt64Array, f4: Float32Array };

/** Unpack one array, or the value of one of type json. A missing one is null. */
export async function unpack(packed) {
  if (!packed) return null;
  const bytes = await unzipped(bytesOf(packed.data));
  if (packed.type === "json") return JSON.parse(new TextDecoder().decode(bytes));
  const type = TYPES[packed.type];
  return new type(interleaved(bytes, type.BYTES_PER_ELEMENT).buffer);
}

const LETTERS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter((c) => !"\"'&<>\\`/~".includes(c));
const DIGITS = new Uint8Array(128);
LETTERS.forEach((letter, digit) => (DIGITS[letter.charCodeAt(0)] = digit));

/** Five letters of 85 are four bytes; the first letter says how many bytes at the end do not count. */
function bytesOf(text) {
  const count = (text.length - 1) / 5;
  const bytes = new Uint8Array(4 * count);
  const view = new DataView(bytes.buffer);
  for (let i = 0, at = 1; i < count; i++) {
    let number = 0;
    for (let digit = 0; digit < 5; digit++) number = number * 85 + DIGITS[text.charCodeAt(at++)];
    view.setUint32(4 * i, number);
  }
  return bytes.subarray(0, bytes.length - Number(text[0]));
}

async function unzipped(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function interleaved(planes, size) {
  if (size === 1) return planes;
  const count = planes.length / size;
  const bytes = new Uint8Array(planes.length);
  for (let plane = 0; plane < size; plane++) {
    const start = plane * count;
    for (let i = 0; i < count; i++) bytes[i * size + plane] = planes[start + i];
  }
  return bytes;
}
