/* SPDX-License-Identifier: MIT */
/*
 * ATmega1281: UART0, eight bits, no parity; start-up is avr-libc's.
 *
 * Interrupts stay off until somebody asks for ticks, so that nothing but the code under
 * test runs during a call in the simulator, which counts cycles itself.
 */
#include "board.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/atomic.h>

#define DIVISOR (BOARD_HZ / 8 / BOARD_BAUD - 1)
#if BOARD_HZ % (8 * BOARD_BAUD)
#error "this speed of the line cannot be made of the clock"
#endif

#define LEAST_ROOM 128u /* for what the agent itself does below a painted stack */

extern uint8_t _end; /* of the data, from the linker: the stack grows down to it */

static volatile uint16_t overflows;

/* avr-libc calls main() with whatever is in the registers of its parameters. */
__attribute__((naked, used, section(".init8"))) void no_arguments(void)
{
    __asm__ volatile("clr r25\n\tclr r24\n\tclr r23\n\tclr r22");
}

void board_open(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    UCSR0A = _BV(U2X0);
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UBRR0 = DIVISOR;
    UCSR0B = _BV(RXEN0) | _BV(TXEN0);
}

int board_read(void)
{
    while (!(UCSR0A & _BV(RXC0)))
        ;
    return UDR0;
}

void board_write(uint8_t byte)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = byte;
}

ISR(TIMER1_OVF_vect) { overflows++; }

uint32_t board_ticks(void)
{
    uint16_t low, high;

    if (TCCR1B == 0) {
        TIMSK1 = _BV(TOIE1);
        TCCR1B = _BV(CS10); /* counts every cycle */
        sei();
    }
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        low = TCNT1;
        high = overflows;
        if ((TIFR1 & _BV(TOV1)) && low < 0x8000)
            high++; /* it has just wrapped, and the interrupt has yet to be served */
    }
    return (uint32_t)high << 16 | low;
}

uint8_t *board_stack_end(void) { return &_end; }

uint32_t board_stack_room(uintptr_t stack_pointer)
{
    uintptr_t end = (uintptr_t)&_end + LEAST_ROOM;

    return stack_pointer > end ? stack_pointer - end : 0;
}
