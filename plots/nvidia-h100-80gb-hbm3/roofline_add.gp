# A roofline with its data. Draw it again: gnuplot roofline_add.gp
if (!exists("svg")) svg = "roofline_add.svg"
if (!exists("png")) png = "roofline_add.png"
set encoding utf8
$points << EOD
0.191431 2.71966e+10
0.191431 2.29084e+11
0.191431 4.66043e+11
0.191431 5.056e+11
0.209953 2.67627e+10
0.209953 2.25256e+11
0.209953 4.6363e+11
0.209953 4.97832e+11
0.400957 2.68547e+10
0.400957 8.46742e+11
0.132305 2.71641e+10
0.132305 2.13061e+11
0.132305 4.09946e+11
0.132305 4.51243e+11
0.277115 2.67641e+10
0.277115 5.76182e+11
0.145106 2.69248e+10
0.145106 2.20661e+11
0.145106 4.60085e+11
0.145106 5.00403e+11
0.303927 2.64602e+10
0.303927 7.03488e+11
0.159145 2.71598e+10
0.159145 2.2339e+11
0.159145 4.63354e+11
0.159145 4.9966e+11
0.333333 2.58534e+10
0.333333 8.42434e+11
0.174543 2.69315e+10
0.174543 2.23034e+11
0.174543 4.63485e+11
0.174543 4.99985e+11
0.365585 2.62014e+10
0.365585 8.39061e+11
EOD
$lines << EOD
0.02 1.62822e+11
7.8256 6.37091e+13


0.02 6.04802e+10
21.0677 6.37091e+13


0.02 6.26834e+10
20.3273 6.37091e+13


7.8256 6.37091e+13
100 6.37091e+13


0.120633 5.22362e+11
0.230267 5.22362e+11


0.252668 1.04472e+12
0.439751 1.04472e+12


EOD
set lmargin at screen 0.08333
set rmargin at screen 0.77500
set bmargin at screen 0.11842
set tmargin at screen 0.90789
set logscale xy
set xrange [0.02:100]
set yrange [1e+10:2e+14]
set format x "%g"
set format y "%.0s %c"
set xlabel "Arithmetic intensity (FLOP/byte)" textcolor rgb "#202020"
set ylabel "Performance (FLOP/s)" textcolor rgb "#202020" offset -1,0
set border linecolor rgb "#404040"
set tics textcolor rgb "#202020"
set grid xtics ytics mxtics mytics linetype 1 linecolor rgb "#D8D8D8", linetype 1 linecolor rgb "#F0F0F0"
set label 1000 'Roofline of add: NVIDIA H100 80GB HBM3, 2026-11-28' at screen 0.08333, 0.968 left noenhanced textcolor rgb "#101010" font ",16"
set label 1001 '' at screen 0.08333, 0.925 left noenhanced textcolor rgb "#A3123F" font ",12"
set label 1002 'Cold figures. Points of one intensity stand side by side under a red cap, their memory roof.' at screen 0.08333, 0.025 left noenhanced textcolor rgb "#505050" font ",10"
set label 'L2 8.14 TB/s' at 0.0217799, 2.15352e+11 left rotate by 31.9 noenhanced textcolor rgb "#303030" font ",11" front
set label 'copy 3.02 TB/s' at 0.0245371, 5.87647e+10 left rotate by 31.9 noenhanced textcolor rgb "#303030" font ",11" front
set label 'read 3.13 TB/s' at 0.0217799, 8.29062e+10 left rotate by 31.9 noenhanced textcolor rgb "#303030" font ",11" front
set label 'fma f32 63.7 TFLOP/s' at 92.1186, 7.51425e+13 right rotate by 0.0 noenhanced textcolor rgb "#303030" font ",11" front
set key at screen 0.79, 0.90789 top left Left reverse noenhanced textcolor rgb "#202020" samplen 1 spacing 1.15 font ",11" nobox
set terminal svg size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output svg
plot NaN notitle, \
  $lines index 1-1 with lines linecolor rgb "#404040" dt 4 lw 1.4 notitle, \
  $lines index 2-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 3-1 with lines linecolor rgb "#404040" dt 3 lw 1.4 notitle, \
  $lines index 4-1 with lines linecolor rgb "#404040" dt 1 lw 2 notitle, \
  $lines index 5-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $lines index 6-1 with lines linecolor rgb "#D62728" dt 1 lw 1.6 notitle, \
  $points every ::1-1::1-1 with points pointtype 6 linecolor rgb "#000000" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::2-1::2-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::3-1::3-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::4-1::4-1 with points pointtype 6 linecolor rgb "#000000" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::5-1::5-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::6-1::6-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.10 linewidth 1.8 notitle, \
  $points every ::7-1::7-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::8-1::8-1 with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.70 linewidth 1.8 notitle, \
  $points every ::9-1::9-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 0.80 linewidth 1.8 notitle, \
  $points every ::10-1::10-1 with points pointtype 4 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.8 notitle, \
  $points every ::11-1::11-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::12-1::12-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::13-1::13-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::14-1::14-1 with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::15-1::15-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::16-1::16-1 with points pointtype 5 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::17-1::17-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::18-1::18-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::19-1::19-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::20-1::20-1 with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::21-1::21-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::22-1::22-1 with points pointtype 5 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::23-1::23-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::24-1::24-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::25-1::25-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::26-1::26-1 with points pointtype 7 linecolor rgb "#009E73" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::27-1::27-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::28-1::28-1 with points pointtype 5 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::29-1::29-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::30-1::30-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.10 linewidth 1.0 notitle, \
  $points every ::31-1::31-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.0 notitle, \
  $points every ::32-1::32-1 with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.70 linewidth 1.0 notitle, \
  $points every ::33-1::33-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 0.80 linewidth 1.0 notitle, \
  $points every ::34-1::34-1 with points pointtype 5 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.0 notitle, \
  NaN with lines linecolor rgb "white" title 'Kernels', \
  NaN with points pointtype 7 linecolor rgb "#E69F00" pointsize 1.40 linewidth 1.6 title 'v1_baseline', \
  NaN with points pointtype 7 linecolor rgb "#56B4E9" pointsize 1.40 linewidth 1.6 title 'v2_tiling', \
  NaN with points pointtype 7 linecolor rgb "#009E73" pointsize 1.40 linewidth 1.6 title 'v3_coalesced', \
  NaN with points pointtype 7 linecolor rgb "#D55E00" pointsize 1.40 linewidth 1.6 title 'v4_optimized', \
  NaN with lines linecolor rgb "white" title 'Peers', \
  NaN with points pointtype 6 linecolor rgb "#000000" pointsize 1.40 linewidth 1.6 title 'torch_compile', \
  NaN with points pointtype 6 linecolor rgb "#7B2CBF" pointsize 1.40 linewidth 1.6 title 'torch_eager', \
  NaN with lines linecolor rgb "white" title 'Dtypes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'f32', \
  NaN with points pointtype 5 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'bf16', \
  NaN with lines linecolor rgb "white" title 'Sizes', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 0.80 linewidth 1.6 title 'small', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.10 linewidth 1.6 title 'medium', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.40 linewidth 1.6 title 'large', \
  NaN with points pointtype 7 linecolor rgb "#606060" pointsize 1.70 linewidth 1.6 title 'xlarge'
set terminal pngcairo size 1200,760 font "DejaVu Sans,12" background rgb "white"
set output png
replot
set output
