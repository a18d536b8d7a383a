/*
 * Random playouts of 2048 by table look-up, the textbook engine: a reference in C for the kernels
 * of this project.
 *
 *     gcc -O3 -march=native table.c -o table -lm
 *     ./table SECONDS
 *
 * Plays games from the start position one after the other, uniformly random legal actions to the
 * end, for about SECONDS seconds of this thread's CPU time, and prints one JSON object: games and
 * moves played, the mean score and the mean number of moves of a game, the CPU time, and million
 * moves per CPU second.
 *
 * A board is 16 nibbles: cell (row, column) is nibble 4 row + column, 0 is empty, e the tile 2^e.
 * 15 is the largest exponent: two 32768 do not merge. Each row slides by a look-up.
 */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __BMI2__
#include <immintrin.h>
#endif

enum { N_ROWS = 1 << 16, LARGEST = 15 };

static const uint64_t EVERY_CELL = 0x1111111111111111; /* bit 0 of each nibble */

static uint16_t slid[2][N_ROWS];       /* a row after sliding left, and after sliding right */
static uint32_t worth_of_row[N_ROWS];  /* f(row), the sum of (e - 1) 2^e over its tiles */

/* --- tables --- */

static unsigned exponent(unsigned row, int column) { return row >> (4 * column) & 15; }

static unsigned mirror(unsigned row)
{
    return exponent(row, 0) << 12 | exponent(row, 1) << 8 | exponent(row, 2) << 4 | row >> 12;
}

static unsigned slide_row(unsigned row)
{
    unsigned result[4] = {0};
    int n = 0;
    bool merges = false; /* may the last tile of the result still merge? */
    for (int column = 0; column < 4; column++) {
        unsigned e = exponent(row, column);
        if (e == 0)
            continue;
        if (merges && result[n - 1] == e) {
            result[n - 1]++;
            merges = false;
        } else {
            result[n++] = e;
            merges = e < LARGEST;
        }
    }
    return result[0] | result[1] << 4 | result[2] << 8 | result[3] << 12;
}

static void make_tables(void)
{
    for (unsigned row = 0; row < N_ROWS; row++) {
        slid[0][row] = (uint16_t)slide_row(row);
        slid[1][row] = (uint16_t)mirror(slide_row(mirror(row)));
        worth_of_row[row] = 0;
        for (int column = 0; column < 4; column++) {
            unsigned e = exponent(row, column);
            worth_of_row[row] += e ? (e - 1) << e : 0;
        }
    }
}

/* --- boards --- */

static inline uint64_t empty_cells(uint64_t board)
{
    uint64_t occupied = board | board >> 2;
    return ~(occupied | occupied >> 1) & EVERY_CELL;
}

/* Mark the cells whose tile may merge at all: not empty, and not 32768. */
static inline uint64_t mergeable_cells(uint64_t board)
{
    uint64_t pairs = board & board >> 2;
    uint64_t full = pairs & pairs >> 1;
    return ~(empty_cells(board) | full) & EVERY_CELL;
}

/* Tell whether no two neighbours on a full board merge. */
static bool is_stuck(uint64_t board)
{
    uint64_t beside = empty_cells(board ^ board >> 4) & 0x0111011101110111;
    uint64_t below = empty_cells(board ^ board >> 16) & 0x0000111111111111;
    return ((beside | below) & mergeable_cells(board)) == 0;
}

#ifndef __BMI2__
static inline uint64_t transpose(uint64_t board)
{
    uint64_t swap = (board ^ board >> 12) & 0x0000F0F00000F0F0;
    board ^= swap ^ swap << 12;
    swap = (board ^ board >> 24) & 0x00000000FF00FF00;
    return board ^ swap ^ swap << 24;
}
#endif

typedef struct { unsigned row[4]; } Rows;

/* Take the board apart, into its columns if `transposed`. */
static inline Rows take_apart(uint64_t board, unsigned transposed)
{
#ifdef __BMI2__
    static const uint64_t lines[2][4] = {
        {0x000000000000FFFF, 0x00000000FFFF0000, 0x0000FFFF00000000, 0xFFFF000000000000},
        {0x000F000F000F000F, 0x00F000F000F000F0, 0x0F000F000F000F00, 0xF000F000F000F000},
    };
    Rows rows;
    for (int i = 0; i < 4; i++)
        rows.row[i] = (unsigned)_pext_u64(board, lines[transposed][i]);
    return rows;
#else
    board = transposed ? transpose(board) : board;
    return (Rows){{board & 0xFFFF, board >> 16 & 0xFFFF, board >> 32 & 0xFFFF, board >> 48}};
#endif
}

static inline uint64_t put_together(Rows rows)
{
    return rows.row[0] | (uint64_t)rows.row[1] << 16 | (uint64_t)rows.row[2] << 32 |
           (uint64_t)rows.row[3] << 48;
}

static inline Rows slide(Rows rows, const uint16_t *table)
{
    return (Rows){{table[rows.row[0]], table[rows.row[1]], table[rows.row[2]],
                   table[rows.row[3]]}};
}

static int64_t worth(uint64_t board)
{
    Rows rows = take_apart(board, 0);
    int64_t sum = 0;
    for (int i = 0; i < 4; i++)
        sum += worth_of_row[rows.row[i]];
    return sum;
}

/* --- play --- */

/* xorshift64* (Vigna, 2016). */
static inline uint64_t next_word(uint64_t *stream)
{
    uint64_t x = *stream;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *stream = x;
    return x * 0x2545F4914F6CDD1D;
}

/* Return the set bit of `marks` that comes after `skipped` others; none, if there are no more. */
static inline uint64_t nth_set(uint64_t marks, unsigned skipped)
{
#ifdef __BMI2__
    return _pdep_u64((uint64_t)1 << skipped, marks);
#else
    while (skipped--)
        marks &= marks - 1;
    return marks & (0 - marks);
#endif
}

/* The lower 32 bits of a word decide between a 2 and a 4, the next 30 choose the cell. */
static inline bool is_four(uint64_t word) { return (uint32_t)word < 429496730; }

static inline uint64_t choose_cell(uint64_t empty, uint64_t word)
{
    uint64_t n = (uint64_t)__builtin_popcountll(empty);
    return nth_set(empty, (unsigned)((word >> 32 & 0x3FFFFFFF) * n >> 30));
}

static uint64_t spawn(uint64_t board, uint64_t word, int64_t *n_fours)
{
    *n_fours += is_four(word);
    return board | choose_cell(empty_cells(board), word) << is_four(word);
}

/*
 * Play a game to its end and return its score: f(end) - f(start) - 4 (number of 4s spawned). A 4 on
 * the start board is counted among the 4s: that is its f. The two highest bits of a word are the
 * direction; a transposed board stays so, since random play is as symmetric as the board.
 */
static int64_t playout(uint64_t *stream, int64_t *n_moves)
{
    int64_t n_fours = 0;
    uint64_t board = spawn(0, next_word(stream), &n_fours);
    board = spawn(board, next_word(stream), &n_fours);
    for (;;) {
        uint64_t word = next_word(stream);
        Rows rows = take_apart(board, word >> 63);
        board = put_together(rows);
        uint64_t after = put_together(slide(rows, slid[word >> 62 & 1]));
        uint64_t empty = empty_cells(after);
        bool moved = after != board;
        /* No branch on `moved` alone, which is hard to predict. */
        if (__builtin_expect((empty == 0) & !moved, 0) && is_stuck(board))
            return worth(board) - 4 * n_fours;
        bool four = moved & is_four(word);
        uint64_t cell = choose_cell(empty, word) & (0 - (uint64_t)moved);
        board = after | cell << four;
        n_fours += four;
        *n_moves += moved;
    }
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    enum { GAMES_BETWEEN_LOOKS_AT_THE_CLOCK = 1000 };
    double seconds = argc > 1 ? atof(argv[1]) : 1.0;
    make_tables();

    uint64_t stream = 0x9E3779B97F4A7C15;
    int64_t n_games = 0, n_moves = 0, scores = 0;
    double begun = cpu_seconds(), spent;
    do {
        for (int i = 0; i < GAMES_BETWEEN_LOOKS_AT_THE_CLOCK; i++)
            scores += playout(&stream, &n_moves);
        n_games += GAMES_BETWEEN_LOOKS_AT_THE_CLOCK;
        spent = cpu_seconds() - begun;
    } while (spent < seconds);

    printf("{\"kernel\": \"table\", \"n_games\": %lld, \"n_moves\": %lld, "
           "\"mean_score\": %.3f, \"mean_moves\": %.4f, \"cpu_seconds\": %.4f, "
           "\"million_moves_per_cpu_second\": %.2f}\n",
           (long long)n_games, (long long)n_moves, (double)scores / (double)n_games,
           (double)n_moves / (double)n_games, spent, 1e-6 * (double)n_moves / spent);
    return 0;
}
