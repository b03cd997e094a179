/**
 * Operators that stand for what arrays, records and maps can do, written into a module when it uses them.
 *
 * Indices of arrays count from 0, as in the spec's text; sequences count from 1, and these operators are where the one
 * becomes the other.
 *
 * @module
 */

interface Entry {
  readonly text: string
  readonly needs?: ReadonlyArray<string>
}

const entries = {
  Range: { text: "Range(seq) == {seq[i] : i \\in DOMAIN seq}" },
  Get: {
    text: "(* A field or element that may be missing. *)\nGet(f, key) == IF key \\in DOMAIN f THEN f[key] ELSE Undefined"
  },
  GetOr: { text: "GetOr(f, key, default) == IF key \\in DOMAIN f THEN f[key] ELSE default" },
  At: {
    text: "(* The element at an index that counts from 0, if there is one. *)\nAt(seq, i) == IF i + 1 \\in DOMAIN seq THEN seq[i + 1] ELSE Undefined"
  },
  Last: { text: "Last(seq) == IF seq = <<>> THEN Undefined ELSE seq[Len(seq)]" },
  Slice: {
    text: "(* From one index up to but not including another; both count from 0. *)\nSlice(seq, from, to) == SubSeq(seq, from + 1, IF to > Len(seq) THEN Len(seq) ELSE to)"
  },
  MapSeq: { text: "MapSeq(F(_), seq) == [i \\in DOMAIN seq |-> F(seq[i])]" },
  FoldSeq: {
    text: "FoldSeq(F(_, _), base, seq) ==\n  LET fold[i \\in 0..Len(seq)] == IF i = 0 THEN base ELSE F(fold[i - 1], seq[i])\n  IN fold[Len(seq)]"
  },
  FlatMap: { text: "FlatMap(F(_), seq) == FoldSeq(LAMBDA out, x : out \\o F(x), <<>>, seq)", needs: ["FoldSeq"] },
  FlatMapIndexed: {
    text: "FlatMapIndexed(F(_, _), seq) ==\n  FoldSeq(LAMBDA out, i : out \\o F(seq[i], i), <<>>, [i \\in DOMAIN seq |-> i])",
    needs: ["FoldSeq"]
  },
  FilterIndexed: {
    text: "(* The elements that pass a test of themselves and of their index, which counts from 1. *)\nFilterIndexed(Test(_, _), seq) ==\n  FoldSeq(LAMBDA out, i : IF Test(seq[i], i) THEN Append(out, seq[i]) ELSE out, <<>>, [i \\in DOMAIN seq |-> i])",
    needs: ["FoldSeq"]
  },
  Find: {
    text: "Find(Test(_), seq) ==\n  LET found == SelectSeq(seq, Test)\n  IN IF found = <<>> THEN Undefined ELSE Head(found)"
  },
  FindLast: {
    text: "FindLast(Test(_), seq) ==\n  LET found == SelectSeq(seq, Test)\n  IN IF found = <<>> THEN Undefined ELSE found[Len(found)]"
  },
  FindIndex: {
    text: "(* The index, counted from 0, of the first element that passes; -1 when none does. *)\nFindIndex(Test(_), seq) ==\n  LET found == {i \\in DOMAIN seq : Test(seq[i])}\n  IN IF found = {} THEN -1 ELSE (CHOOSE i \\in found : \\A j \\in found : i <= j) - 1"
  },
  FindLastIndex: {
    text: "FindLastIndex(Test(_), seq) ==\n  LET found == {i \\in DOMAIN seq : Test(seq[i])}\n  IN IF found = {} THEN -1 ELSE (CHOOSE i \\in found : \\A j \\in found : i >= j) - 1"
  },
  Sorted: {
    text: "(* In the order of a comparison, which is negative when its first argument comes first. Equals keep their order. *)\nSorted(Compare(_, _), seq) ==\n  LET before(i, j) == Compare(seq[i], seq[j]) < 0 \\/ (Compare(seq[i], seq[j]) = 0 /\\ i < j)\n      place(i) == 1 + Cardinality({j \\in DOMAIN seq : before(j, i)})\n  IN [k \\in DOMAIN seq |-> seq[CHOOSE i \\in DOMAIN seq : place(i) = k]]"
  },
  Reversed: { text: "Reversed(seq) == [i \\in DOMAIN seq |-> seq[Len(seq) + 1 - i]]" },
  Min: { text: "Min(a, b) == IF a <= b THEN a ELSE b" },
  Max: { text: "Max(a, b) == IF a >= b THEN a ELSE b" },
  MaxOf: { text: "MaxOf(numbers) == CHOOSE n \\in numbers : \\A m \\in numbers : n >= m" },
  MinOf: { text: "MinOf(numbers) == CHOOSE n \\in numbers : \\A m \\in numbers : n <= m" },
  Merged: {
    text: "(* A record with the fields of another put over it. *)\nMerged(under, over) ==\n  [key \\in (DOMAIN under) \\cup (DOMAIN over) |-> IF key \\in DOMAIN over THEN over[key] ELSE under[key]]"
  },
  Omit: { text: "Omit(f, keys) == [key \\in (DOMAIN f) \\ keys |-> f[key]]" },
  MapGet: {
    text: "(* A map is a sequence of pairs, in the order in which their keys were first set. *)\nMapGet(map, key) ==\n  LET found == SelectSeq(map, LAMBDA pair : pair[1] = key)\n  IN IF found = <<>> THEN Undefined ELSE found[1][2]"
  },
  MapHas: { text: "MapHas(map, key) == \\E i \\in DOMAIN map : map[i][1] = key" },
  MapSet: {
    text: "MapSet(map, key, value) ==\n  IF \\E i \\in DOMAIN map : map[i][1] = key\n  THEN [i \\in DOMAIN map |-> IF map[i][1] = key THEN <<key, value>> ELSE map[i]]\n  ELSE Append(map, <<key, value>>)"
  },
  CompareText: {
    text: "(* Compares texts part by part: negative when the first comes first. *)\nCompareText(a, b) ==\n  LET differ == {i \\in DOMAIN a : a[i] # b[i]}\n  IN IF differ = {} THEN 0 ELSE LET i == CHOOSE j \\in differ : \\A k \\in differ : j <= k IN a[i] - b[i]"
  }
} as const satisfies { readonly [name: string]: Entry }

/** The name of an operator of the library. */
export type LibraryName = keyof typeof entries

/** The names of all operators of the library. */
export const libraryNames: ReadonlyArray<string> = Object.keys(entries)

/** The operators that one module uses. */
export class Library {
  readonly #used = new Set<string>()

  /** Notes that an operator is used. */
  use(name: LibraryName): LibraryName {
    const entry: Entry = entries[name]
    this.#used.add(name)
    for (const needed of entry.needs ?? []) this.#used.add(needed)
    return name
  }

  /** Whether an operator is used. */
  has(name: LibraryName): boolean {
    return this.#used.has(name)
  }

  /** The definitions of those that are used, each below what it needs. */
  text(): ReadonlyArray<string> {
    return Object.entries(entries).flatMap(([name, entry]) => (this.#used.has(name) ? [entry.text] : []))
  }
}
