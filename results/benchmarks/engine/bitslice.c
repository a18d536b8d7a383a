/*
 * Random playouts of 2048, bit-sliced: a reference in C for the kernels of this project.
 *
 *     gcc -O3 -march=native bitslice.c -o bitslice -lm
 *     ./bitslice SECONDS
 *
 * Plays games from the start position, uniformly random legal actions to the end, for about SECONDS
 * seconds of this thread's CPU time, and prints one JSON object: games and moves played, the mean
 * score and the mean number of moves of a game, the CPU time, and million moves per CPU second. All
 * games begun are played to their end, so that the means are not biased towards short games.
 * Without AVX-512 (with VPOPCNTDQ and GFNI) it prints {"unsupported": "needs AVX-512"} instead.
 *
 * 512 games are held crosswise: bit l of word w of plane k of a cell is bit k of the exponent in
 * that cell of game (l, w), so that one instruction acts on 512 games, and a step is straight-line
 * boolean algebra. 15 is the largest exponent: two 32768 do not merge.
 *
 * A step takes one 16-bit number u from each game, one plane a bit. Its two lowest bits are the
 * direction; floor(u n / 2^16) is the empty cell, of n; the fraction decides between a 2 and a 4.
 */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdio.h>

#if !(defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VPOPCNTDQ__) && \
      defined(__GFNI__))

int main(void)
{
    puts("{\"unsupported\": \"needs AVX-512\"}");
    return 0;
}

#else

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define INLINE static inline __attribute__((always_inline))
#define UNROLLED _Pragma("GCC unroll 16")

enum { STEPS_BETWEEN_CHECKS = 16, N_FOURS_PLANES = 8 };

typedef __m512i Plane;                        /* a bit for each of 512 games */
typedef struct { Plane bit[4]; } Cell;        /* the exponents in one cell, lowest bit first */
typedef struct { Plane bit[4]; } Number;      /* a number below 16 for each game */
typedef struct { Plane a, b; } Stream;        /* the state of each word's random bits */

typedef struct {
    Cell cell[16];               /* cell 4 row + column */
    Plane fours[N_FOURS_PLANES]; /* how many 4s were spawned; 255 would take some 2,500 moves */
} Games;

typedef struct {
    Games playing;
    Games bench;     /* one game a lane: over where `ended`, elsewhere at its start, waiting */
    Plane ended;
    Plane coins[2];  /* direction of the next step, and the two lowest bits of its u */
    Stream stream;
    Plane scores;    /* summed over the games handed in, eight partial sums */
    Plane moves;     /* eight partial sums */
    int64_t n_games; /* handed in */
} Group;

/* --- words --- */

/* Any function of three planes in one instruction: `logic` is written with A, B and C for them. */
enum { A = 0xF0, B = 0xCC, C = 0xAA };
#define TERNARY(a, b, c, logic) _mm512_ternarylogic_epi64(a, b, c, (logic) & 0xFF)

INLINE Plane none(void) { return _mm512_setzero_si512(); }
INLINE Plane not(Plane x) { return TERNARY(x, x, x, ~A); }
INLINE Plane and_not(Plane x, Plane y) { return _mm512_andnot_si512(y, x); }
INLINE Plane or3(Plane x, Plane y, Plane z) { return TERNARY(x, y, z, A | B | C); }
INLINE Plane and3(Plane x, Plane y, Plane z) { return TERNARY(x, y, z, A & B & C); }
INLINE Plane xor3(Plane x, Plane y, Plane z) { return TERNARY(x, y, z, A ^ B ^ C); }
INLINE Plane majority(Plane x, Plane y, Plane z)
{
    return TERNARY(x, y, z, (A & B) | (A & C) | (B & C));
}
/* x | (y & m) */
INLINE Plane or_where(Plane x, Plane y, Plane m) { return TERNARY(x, y, m, A | (B & C)); }
/* x where m, y elsewhere */
INLINE Plane either(Plane m, Plane x, Plane y) { return TERNARY(m, x, y, (A & B) | (~A & C)); }

INLINE void swap(Plane m, Plane *x, Plane *y)
{
    Plane t = *x;
    *x = either(m, *y, t);
    *y = either(m, t, *y);
}

INLINE bool any(Plane m) { return _mm512_test_epi64_mask(m, m) != 0; }
INLINE int64_t count(Plane m) { return _mm512_reduce_add_epi64(_mm512_popcnt_epi64(m)); }

/* --- random bits --- */

/* xoroshiro128+ (Blackman and Vigna, 2018), one in each word. */
INLINE Plane next_plane(Stream *stream)
{
    Plane a = stream->a, b = stream->b, plane = _mm512_add_epi64(a, b);
    b ^= a;
    stream->a = xor3(_mm512_rol_epi64(a, 24), b, _mm512_slli_epi64(b, 16));
    stream->b = _mm512_rol_epi64(b, 37);
    return plane;
}

static uint64_t split_mix(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static Stream new_stream(uint64_t seed)
{
    uint64_t state[16];
    for (int i = 0; i < 16; i++)
        state[i] = split_mix(&seed);
    return (Stream){_mm512_loadu_si512(state), _mm512_loadu_si512(state + 8)};
}

/* --- cells --- */

INLINE Plane filled(const Cell *x) { return or3(x->bit[0], x->bit[1], x->bit[2]) | x->bit[3]; }

/* Say where two neighbours cannot merge: they differ, or both are 32768. Both hold a tile. */
INLINE Plane differ(const Cell *x, const Cell *y)
{
    Plane high = and3(x->bit[1], x->bit[2], x->bit[3]);
    Plane m = TERNARY(x->bit[0], y->bit[0], high, (A ^ B) | (A & C));
    m = TERNARY(m, x->bit[1], y->bit[1], A | (B ^ C));
    m = TERNARY(m, x->bit[2], y->bit[2], A | (B ^ C));
    return TERNARY(m, x->bit[3], y->bit[3], A | (B ^ C));
}

/* Add one to the exponent where m; it is below 15 there. */
INLINE void increment(Plane m, Cell *x)
{
    Plane *bit = x->bit;
    Plane carry = and3(bit[0], bit[1], m);
    bit[3] = TERNARY(bit[3], bit[2], carry, A ^ (B & C));
    bit[2] = bit[2] ^ carry;
    bit[1] = TERNARY(bit[1], bit[0], m, A ^ (B & C));
    bit[0] = bit[0] ^ m;
}

/*
 * Slide and merge a row towards its first cell. Return where that changed it, and leave in `empty`
 * the number of empty cells, 0 to 4; they are the last ones of the row.
 */
INLINE Plane slide_row(Cell *row, Number *empty)
{
    Cell a = row[0], b = row[1], c = row[2], d = row[3];
    Plane in_a = filled(&a), in_b = filled(&b), in_c = filled(&c), in_d = filled(&d);
    Plane moved = and_not(in_b, in_a);
    moved = TERNARY(moved, in_c, in_b, A | (B & ~C));
    moved = TERNARY(moved, in_d, in_c, A | (B & ~C));

    /* How many tiles: at least one, two, three of the first three; then of all four. */
    Plane one = or3(in_a, in_b, in_c), two = majority(in_a, in_b, in_c);
    Plane three = and3(in_a, in_b, in_c);
    Plane b_to_c = xor3(in_a, in_b, in_c); /* the third of the row, if d does not come there */
    Plane c_to_b = in_a ^ in_b;
    Plane d_to_b = and_not(one, two);
    Plane a_or_b = in_a | in_b;
    Plane four = three & in_d;
    three = or_where(three, two, in_d);
    two = or_where(two, one, in_d);
    Plane n_none = TERNARY(one, in_d, in_d, ~(A | B));

    /* First by one cell, where an odd number of empty cells is before it, then by two. */
    UNROLLED for (int k = 0; k < 4; k++) {
        Plane first = either(in_a, a.bit[k], b.bit[k]);
        Plane second = either(c_to_b, c.bit[k], b.bit[k]);
        Plane third = either(b_to_c, c.bit[k], d.bit[k]);
        a.bit[k] = either(a_or_b, first, third);
        b.bit[k] = or_where(second, d.bit[k], d_to_b);
        c.bit[k] = third & a_or_b;
    }

    /* d has not been moved away where it is compared: there are four tiles there. */
    Plane ab = and_not(two, differ(&a, &b));
    Plane bc = TERNARY(three, differ(&b, &c), ab, A & ~B & ~C);
    Plane cd = TERNARY(four, differ(&c, &d), bc, A & ~B & ~C);
    Plane ab_bc = ab | bc;
    Plane d_to_c = four & TERNARY(ab, bc, cd, (A & ~C) | B);
    Plane d_stays = TERNARY(four, ab_bc, cd, A & ~B & ~C);

    UNROLLED for (int k = 0; k < 4; k++) {
        b.bit[k] = either(ab, c.bit[k], b.bit[k]);
        c.bit[k] = TERNARY(c.bit[k], ab_bc, d.bit[k] & d_to_c, (A & ~B) | C);
        d.bit[k] = d.bit[k] & d_stays;
    }
    increment(ab, &a);
    increment(either(ab, cd, bc), &b);
    increment(and_not(cd, ab), &c);
    row[0] = a, row[1] = b, row[2] = c, row[3] = d;

    two = either(ab, three, two);
    three = TERNARY(three, ab_bc, d_to_c, (A & ~B) | C);
    Plane ones = TERNARY(three, d_stays, two, (A & ~B));
    empty->bit[0] = TERNARY(ones, n_none, two, A | (~B & ~C));
    empty->bit[1] = TERNARY(n_none, three, three, ~(A | B));
    empty->bit[2] = n_none;
    return or3(moved, ab_bc, cd);
}

/* --- numbers --- */

INLINE Plane full_add(Plane x, Plane y, Plane *carry)
{
    Plane sum = xor3(x, y, *carry);
    *carry = majority(x, y, *carry);
    return sum;
}

INLINE Plane full_subtract(Plane x, Plane y, Plane *borrow)
{
    Plane difference = xor3(x, y, *borrow);
    *borrow = TERNARY(x, y, *borrow, (~A & B) | (~A & C) | (B & C));
    return difference;
}

/* Add two numbers; the sum is below 16. */
INLINE Number add(const Number *x, const Number *y, int n_bits)
{
    Number sum;
    Plane carry = x->bit[0] & y->bit[0];
    sum.bit[0] = x->bit[0] ^ y->bit[0];
    sum.bit[1] = full_add(x->bit[1], y->bit[1], &carry);
    sum.bit[2] = full_add(x->bit[2], y->bit[2], &carry);
    sum.bit[3] = n_bits == 3 ? carry : xor3(x->bit[3], y->bit[3], carry);
    return sum;
}

/*
 * Say where x < y, and leave in x: x there, x - y elsewhere, which is known to need one bit less
 * than the n_bits of the two.
 */
INLINE Plane take(Number *x, const Number *y, int n_bits)
{
    Number difference;
    Plane borrow = and_not(y->bit[0], x->bit[0]);
    difference.bit[0] = x->bit[0] ^ y->bit[0];
    UNROLLED for (int k = 1; k < n_bits; k++)
        difference.bit[k] = full_subtract(x->bit[k], y->bit[k], &borrow);
    UNROLLED for (int k = 0; k < n_bits - 1; k++)
        x->bit[k] = either(borrow, x->bit[k], difference.bit[k]);
    return borrow;
}

/* Compare binary fractions with a threshold, the lowest bits first: one more bit. */
INLINE Plane next_under(Plane under, Plane bit, bool threshold)
{
    if (threshold)
        return TERNARY(under, bit, bit, A | ~B);
    return and_not(under, bit);
}

/*
 * Take one step of u n, where u is a random binary fraction, from u's lowest bit upwards: x becomes
 * (x + bit n) / 2, rounded down, which after all bits of u is floor(u n). The bit shifted out is
 * the next of the product's own fraction; `under` says where that is under a threshold so far.
 */
INLINE void scale_by_bit(Plane bit, const Number *n, Number *x, Plane *under, bool threshold)
{
    Plane out = TERNARY(x->bit[0], n->bit[0], bit, A ^ (B & C));
    Plane carry = and3(x->bit[0], n->bit[0], bit);
    x->bit[0] = full_add(x->bit[1], n->bit[1] & bit, &carry);
    x->bit[1] = full_add(x->bit[2], n->bit[2] & bit, &carry);
    x->bit[2] = full_add(x->bit[3], n->bit[3] & bit, &carry);
    x->bit[3] = carry;
    *under = next_under(*under, out, threshold);
}

/*
 * A 4 is spawned where the fraction is below 6552 / 2^16, a tenth less 2.4e-5: exactly as likely
 * for every n, since 6552 is divisible by 8 as the fractions are for n = 8.
 */
enum { THRESHOLD = 6552, N_BITS = 16 };

/* --- a step --- */

/* Four cells that the two reflections of `turn` exchange among each other. */
INLINE void turn_four(Cell *p, Cell *q, Cell *r, Cell *s, const Plane *coins)
{
    UNROLLED for (int k = 0; k < 4; k++) {
        swap(coins[0], &p->bit[k], &q->bit[k]);
        swap(coins[0], &r->bit[k], &s->bit[k]);
        swap(coins[1], &p->bit[k], &r->bit[k]);
        swap(coins[1], &q->bit[k], &s->bit[k]);
    }
}

INLINE void turn_two(Cell *p, Cell *q, Plane coin)
{
    UNROLLED for (int k = 0; k < 4; k++)
        swap(coin, &p->bit[k], &q->bit[k]);
}

/*
 * Reflect the boards about one diagonal where coin 0 says so, about the other where coin 1 does:
 * the four cases bring each direction to the left. It is never undone: random play is as symmetric
 * as the board.
 */
INLINE void turn(Cell *cell, const Plane *coins)
{
    turn_four(&cell[1], &cell[4], &cell[11], &cell[14], coins);
    turn_four(&cell[2], &cell[8], &cell[7], &cell[13], coins);
    turn_two(&cell[3], &cell[12], coins[0]);
    turn_two(&cell[6], &cell[9], coins[0]);
    turn_two(&cell[0], &cell[15], coins[1]);
    turn_two(&cell[5], &cell[10], coins[1]);
}

INLINE void put(Cell *x, Plane two, Plane four, Plane at)
{
    x->bit[0] = or_where(x->bit[0], two, at);
    x->bit[1] = or_where(x->bit[1], four, at);
}

/* Put a tile, where `here`, into empty cell number j of a row, counted from its end. */
INLINE void put_in_row(Cell *row, Plane here, Plane four, const Plane *at)
{
    Plane two = and_not(here, four);
    four = here & four;
    UNROLLED for (int column = 0; column < 4; column++)
        put(&row[column], two, four, at[column]);
}

INLINE void count_fours(Games *games, Plane carry)
{
    UNROLLED for (int k = 0; k < N_FOURS_PLANES; k++) {
        Plane digit = games->fours[k];
        games->fours[k] = digit ^ carry;
        carry = digit & carry;
    }
}

/* Choose one of n empty cells, and whether it gets a 4. */
INLINE Number choose_cell(Group *group, const Number *n, Plane *four)
{
    Number x = {{group->coins[0] & n->bit[1], group->coins[0] & n->bit[2],
                 group->coins[0] & n->bit[3], none()}};
    Stream stream = group->stream;
    *four = none();
    scale_by_bit(group->coins[1], n, &x, four, THRESHOLD >> 1 & 1);
    UNROLLED for (int k = 2; k < N_BITS; k++)
        scale_by_bit(next_plane(&stream), n, &x, four, THRESHOLD >> k & 1);
    group->coins[0] = next_plane(&stream);
    group->coins[1] = next_plane(&stream);
    group->stream = stream;
    return x;
}

/* Put a tile on the boards that moved, into a random empty cell. */
INLINE void spawn(Group *group, Plane moved, const Number *empty)
{
    Number upper = add(&empty[0], &empty[1], 3), lower = add(&empty[2], &empty[3], 3);
    Number n = add(&upper, &lower, 4);
    Plane four;
    Number j = choose_cell(group, &n, &four);

    Plane in_upper = take(&j, &upper, 4);
    Number first_row;
    UNROLLED for (int k = 0; k < 3; k++)
        first_row.bit[k] = either(in_upper, empty[0].bit[k], empty[2].bit[k]);
    Plane in_first = take(&j, &first_row, 3);

    const Plane at[4] = {
        j.bit[0] & j.bit[1],
        and_not(j.bit[1], j.bit[0]),
        and_not(j.bit[0], j.bit[1]),
        TERNARY(j.bit[0], j.bit[1], j.bit[1], ~(A | B)),
    };
    Cell *cell = group->playing.cell;
    put_in_row(cell, TERNARY(moved, in_upper, in_first, A & B & C), four, at);
    put_in_row(cell + 4, TERNARY(moved, in_upper, in_first, A & B & ~C), four, at);
    put_in_row(cell + 8, TERNARY(moved, in_upper, in_first, A & ~B & C), four, at);
    put_in_row(cell + 12, TERNARY(moved, in_upper, in_first, A & ~B & ~C), four, at);
    count_fours(&group->playing, moved & four);
}

/*
 * Try a random action in every game, and spawn where it was legal; a number of times. `noipa` keeps
 * the compiler from unrolling the steps beyond the instruction cache.
 */
static __attribute__((noipa)) void play_steps(Group *group, int n_steps)
{
    for (int step = 0; step < n_steps; step++) {
        Number empty[4];
        Plane moved = none();
        turn(group->playing.cell, group->coins);
        UNROLLED for (int row = 0; row < 4; row++)
            moved |= slide_row(&group->playing.cell[4 * row], &empty[row]);
        group->moves = _mm512_add_epi64(group->moves, _mm512_popcnt_epi64(moved));
        spawn(group, moved, empty);
    }
}

/* --- games that begin and end --- */

/* Mark the games with no empty cell and no two neighbours that merge. */
static Plane find_over(const Games *games)
{
    const Cell *cell = games->cell;
    Plane over = not(none());
    for (int i = 0; i < 16; i++)
        over &= filled(&cell[i]);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            over &= differ(&cell[4 * i + j], &cell[4 * i + j + 1]);
            over &= differ(&cell[4 * j + i], &cell[4 * j + i + 4]);
        }
    return over;
}

/* Mark the lanes where x is cell i, given by four planes. */
INLINE Plane is_cell(const Number *x, int i)
{
    Plane differs = none();
    for (int k = 0; k < 4; k++)
        differs |= i >> k & 1 ? not(x->bit[k]) : x->bit[k];
    return not(differs);
}

static Number four_random_bits(Stream *stream)
{
    Number x;
    for (int k = 0; k < 4; k++)
        x.bit[k] = next_plane(stream);
    return x;
}

/* A start tile in cell `at`: a 4 in one of ten. */
static void put_start_tile(Games *games, Stream *stream, const Number *at)
{
    Plane four = none();
    for (int k = 0; k < N_BITS; k++)
        four = next_under(four, next_plane(stream), THRESHOLD >> k & 1);
    Plane two = not(four);
    for (int i = 0; i < 16; i++)
        put(&games->cell[i], two, four, is_cell(at, i));
    count_fours(games, four);
}

/* Deal 512 start boards: two tiles in different cells. */
static void deal(Games *games, Stream *stream)
{
    *games = (Games){0};
    Number first = four_random_bits(stream), second = first;
    for (;;) {
        Plane distinct = none();
        for (int k = 0; k < 4; k++)
            distinct |= first.bit[k] ^ second.bit[k];
        if (!any(not(distinct)))
            break;
        Number again = four_random_bits(stream);
        for (int k = 0; k < 4; k++)
            second.bit[k] = either(distinct, second.bit[k], again.bit[k]);
    }
    put_start_tile(games, stream, &first);
    put_start_tile(games, stream, &second);
}

/* In each word, exchange the bytes whose number has bit `apart` in x for the others in y. */
INLINE void cross_pair(Plane *x, Plane *y, int apart)
{
    static const uint64_t HIGH[5] = {
        0, 0xAAAAAAAAAAAAAAAA, 0xCCCCCCCCCCCCCCCC, 0, 0xF0F0F0F0F0F0F0F0};
    const Plane index = _mm512_broadcast_i32x4(
        _mm_xor_si128(_mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                      _mm_set1_epi8((char)apart)));
    Plane t = *x;
    *x = _mm512_mask_shuffle_epi8(t, HIGH[apart], *y, index);
    *y = _mm512_mask_shuffle_epi8(*y, ~HIGH[apart], t, index);
}

/* Transpose, word by word, the 8 x 8 bytes of eight planes `stride` from each other. */
INLINE void cross_bytes(Plane *plane, int stride)
{
    Plane x[8];
    UNROLLED for (int i = 0; i < 8; i++)
        x[i] = plane[i * stride];
    UNROLLED for (int apart = 4; apart; apart /= 2)
        UNROLLED for (int i = 0; i < 8; i++)
            if (!(i & apart))
                cross_pair(&x[i], &x[i + apart], apart);
    UNROLLED for (int i = 0; i < 8; i++)
        plane[i * stride] = x[i];
}

/* Transpose the 8 x 8 bits of each word: a matrix, the last row first, times the identity. */
INLINE Plane cross_bits(Plane x)
{
    const Plane last_first = _mm512_broadcast_i32x4(
        _mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
    x = _mm512_shuffle_epi8(x, last_first);
    return _mm512_gf2p8affine_epi64_epi8(_mm512_set1_epi64((int64_t)0x8040201008040201), x, 0);
}

/*
 * Go from planes to boards, four bits a cell: plane 8 i + j has those of the games (8 j + i, w),
 * and byte i of word w of fours[j] is the number of 4s of that game.
 */
static void cross(Games *games)
{
    Plane *plane = (Plane *)games->cell;
    for (int i = 0; i < 64; i += 8)
        cross_bytes(&plane[i], 1);
    cross_bytes(games->fours, 1);
    for (int i = 0; i < 64; i++)
        plane[i] = cross_bits(plane[i]);
    for (int i = 0; i < 8; i++)
        games->fours[i] = cross_bits(games->fours[i]);
    for (int j = 0; j < 8; j++)
        cross_bytes(&plane[j], 8);
}

/* f(board), the sum of (e - 1) 2^e over the tiles, of eight boards. */
INLINE Plane worth(Plane boards)
{
    const Plane worth_of_tile = _mm512_set_epi32(
        14 << 15, 13 << 14, 12 << 13, 11 << 12, 10 << 11, 9 << 10, 8 << 9, 7 << 8,
        6 << 7, 5 << 6, 4 << 5, 3 << 4, 2 << 3, 1 << 2, 0, 0);
    Plane sums = none(); /* of the upper and the lower half of a board; only four bits index */
    UNROLLED for (int k = 0; k < 8; k++) {
        sums = _mm512_add_epi32(sums, _mm512_permutexvar_epi32(boards, worth_of_tile));
        boards = _mm512_srli_epi32(boards, 4);
    }
    Plane lower = _mm512_and_si512(sums, _mm512_set1_epi64(0xFFFFFFFF));
    return _mm512_add_epi64(lower, _mm512_srli_epi64(sums, 32));
}

/*
 * Score the games on the bench that are over: f(end) - f(start) - 4 (number of 4s spawned). A 4 on
 * the start board is counted among the 4s: that is its f.
 */
static void hand_in(Group *group)
{
    const Plane *boards = (const Plane *)group->bench.cell;
    cross(&group->bench);
    for (int j = 0; j < 8; j++)
        for (int i = 0; i < 8; i++) {
            __mmask8 over = _mm512_test_epi64_mask(
                group->ended, _mm512_set1_epi64((int64_t)((uint64_t)1 << (8 * j + i))));
            Plane fours = _mm512_srli_epi64(group->bench.fours[j], 8 * i);
            fours = _mm512_and_si512(fours, _mm512_set1_epi64(255));
            Plane score = _mm512_sub_epi64(worth(boards[8 * i + j]), _mm512_slli_epi64(fours, 2));
            group->scores = _mm512_mask_add_epi64(group->scores, over, group->scores, score);
        }
    group->n_games += count(group->ended);
    group->ended = none();
}

/*
 * Bring the games that are over to the bench, and those waiting there into play. Where one would
 * come upon a game that ended before, all those are handed in, and others dealt, if `dealing`.
 */
static void exchange(Group *group, Plane over, bool dealing)
{
    if (any(over & group->ended)) {
        hand_in(group);
        if (dealing)
            deal(&group->bench, &group->stream);
        else
            group->bench = (Games){0};
    }
    for (int i = 0; i < 16; i++)
        for (int k = 0; k < 4; k++)
            swap(over, &group->playing.cell[i].bit[k], &group->bench.cell[i].bit[k]);
    for (int k = 0; k < N_FOURS_PLANES; k++)
        swap(over, &group->playing.fours[k], &group->bench.fours[k]);
    group->ended |= over;
}

static void play(Group *group, bool dealing)
{
    play_steps(group, STEPS_BETWEEN_CHECKS);
    exchange(group, find_over(&group->playing), dealing);
}

/* Play on without starting games; empty boards take the place of those that are over. */
static void play_to_the_end(Group *group)
{
    hand_in(group);
    group->bench = (Games){0};
    for (;;) {
        Plane playing = none();
        for (int i = 0; i < 16; i++)
            playing |= filled(&group->playing.cell[i]);
        if (!any(playing))
            break;
        play(group, false);
    }
    hand_in(group);
}

static void start(Group *group, uint64_t seed)
{
    *group = (Group){.stream = new_stream(seed)};
    group->coins[0] = next_plane(&group->stream);
    group->coins[1] = next_plane(&group->stream);
    deal(&group->playing, &group->stream);
    deal(&group->bench, &group->stream);
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    enum { CHECKS_BETWEEN_LOOKS_AT_THE_CLOCK = 500 };
    static Group group;
    double seconds = argc > 1 ? atof(argv[1]) : 1.0;
    double begun = cpu_seconds();
    start(&group, 1);
    while (cpu_seconds() - begun < seconds)
        for (int i = 0; i < CHECKS_BETWEEN_LOOKS_AT_THE_CLOCK; i++)
            play(&group, true);
    play_to_the_end(&group);
    double spent = cpu_seconds() - begun;

    double n_games = (double)group.n_games;
    int64_t n_moves = _mm512_reduce_add_epi64(group.moves);
    printf("{\"kernel\": \"bitslice\", \"n_games\": %lld, \"n_moves\": %lld, "
           "\"mean_score\": %.3f, \"mean_moves\": %.4f, \"cpu_seconds\": %.4f, "
           "\"million_moves_per_cpu_second\": %.2f}\n",
           (long long)group.n_games, (long long)n_moves,
           (double)_mm512_reduce_add_epi64(group.scores) / n_games, (double)n_moves / n_games,
           spent, 1e-6 * (double)n_moves / spent);
    return 0;
}

#endif
