/** Where the only section is in memory and in the file. */
const SECTION_RVA = 0x1000;
const SECTION_OFFSET = 0x200;
const SECTION_BYTES = 0x200;
const IMAGE_BASE = 0x1_d000_0000n;

/** What {@link forwardingDll} makes. */
export interface ForwardedFunction {
  /** Name of the DLL with its ending. */
  readonly dll: string;
  readonly name: string;
  /** The function of another DLL that is called in its place: `other.function`. */
  readonly target: string;
}

/**
 * The bytes of a DLL for Windows on x64 that has one function and no code: the system calls the function of another DLL in its
 * place. For programs that need a DLL which Wine lacks.
 */
export function forwardingDll({ dll, name, target }: ForwardedFunction): Buffer {
  const file = Buffer.alloc(SECTION_OFFSET + SECTION_BYTES);
  file.write('MZ');
  file.writeUInt32LE(0x40, 0x3c);
  file.write('PE\0\0', 0x40);
  writeNumbers(file, 0x44, [
    ...[
      [2, 0x8664],
      [2, 1],
      [4, 0],
      [4, 0],
      [4, 0],
      [2, 240],
      [2, 0x2022],
    ], // x64, one section, a DLL
    ...[
      [2, 0x20b],
      [2, 0],
      [4, 0],
      [4, SECTION_BYTES],
      [4, 0],
      [4, 0],
      [4, SECTION_RVA],
      [8, IMAGE_BASE],
    ],
    ...[
      [4, 0x1000],
      [4, SECTION_BYTES],
      [2, 6],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 6],
      [2, 0],
      [4, 0],
    ], // alignments, versions
    ...[
      [4, 2 * SECTION_RVA],
      [4, SECTION_OFFSET],
      [4, 0],
      [2, 3],
      [2, 0x100],
    ], // sizes, subsystem
    ...[
      [8, 0x10_0000],
      [8, 0x1000],
      [8, 0x10_0000],
      [8, 0x1000],
      [4, 0],
      [4, 16],
    ], // stack, heap, directories
    ...[
      [4, SECTION_RVA],
      [4, SECTION_BYTES],
    ],
  ]);
  const header = 0x44 + 20 + 240;
  file.write('.rdata', header);
  writeNumbers(file, header + 8, [
    [4, SECTION_BYTES],
    [4, SECTION_RVA],
    [4, SECTION_BYTES],
    [4, SECTION_OFFSET],
  ]);
  file.writeUInt32LE(0x4000_0040, header + 36);
  writeExports(file, [dll, name, target]);
  return file;
}

/** The directory of 40 bytes, its three tables with one entry each, and the texts. */
function writeExports(file: Buffer, texts: readonly string[]): void {
  const tables = SECTION_RVA + 40;
  let end = tables + 10;
  const [dll = 0, name = 0, target = 0] = texts.map(text => {
    const at = end;
    file.write(`${text}\0`, at - SECTION_RVA + SECTION_OFFSET, 'latin1');
    end += text.length + 1;
    return at;
  });
  writeNumbers(file, SECTION_OFFSET, [
    ...[
      [4, 0],
      [4, 0],
      [4, 0],
      [4, dll],
      [4, 1],
      [4, 1],
      [4, 1],
      [4, tables],
      [4, tables + 4],
      [4, tables + 8],
    ],
    ...[
      [4, target],
      [4, name],
      [2, 0],
    ],
  ]);
}

/** Writes numbers one after the other, each given with the count of its bytes. */
function writeNumbers(file: Buffer, offset: number, numbers: readonly (readonly (number | bigint)[])[]): void {
  let at = offset;
  for (const [size = 4, value = 0] of numbers) {
    if (size === 8) file.writeBigUInt64LE(BigInt(value), at);
    else file.writeUIntLE(Number(value), at, Number(size));
    at += Number(size);
  }
}
